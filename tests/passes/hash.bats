# hlo-opt --hash: what changes a module's hash, and what does not.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >m.hlo <<'END'
HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }, entry_computation_layout={(f32[2,3]{1,0}, f32[])->(f32[2,3]{1,0}, f32[2]{0})}

add.1 {
  a.1 = f32[] parameter(0)
  b.1 = f32[] parameter(1)
  ROOT s.1 = f32[] add(a.1, b.1)
}

mul.2 {
  a.2 = f32[] parameter(0)
  b.2 = f32[] parameter(1)
  ROOT s.2 = f32[] multiply(a.2, b.2)
}

ENTRY main {
  x = f32[2,3]{1,0} parameter(0), metadata={op_name="x"}
  z = f32[] parameter(1)
  w = f32[12] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  r = f32[2]{0} reduce(x, z), dimensions={1}, to_apply=add.1
  q = f32[2]{0} reduce(x, z), dimensions={1}, to_apply=mul.2
  t = f32[2]{0} subtract(r, q), control-predecessors={w}, backend_config="b"
  d = f32[2,3]{1,0} custom-call(x), custom_call_target="t", frontend_attributes={k="v"}
  ROOT o = (f32[2,3]{1,0}, f32[2]{0}) tuple(d, t)
}
END
}

@test "--hash: 32 digits, which names, metadata, order and form do not change" {
    expect_status 0 hlo-opt --hash m.hlo
    grep -qE '^[0-9a-f]{32}$' "$out" && [ "$(wc -l <"$out")" = 1 ] || fail "$(cat "$out")"
    cp "$out" wanted
    sed 's/HloModule m/HloModule n/; s/\<x\>/input.7/g; s/add\.1/sum/g; s/main/entry/; s/op_name="input.7"/op_name="y"/' m.hlo >named.hlo
    awk -v RS= -v ORS='\n\n' 'NR == 2 { kept = $0; next } { print } NR == 3 { print kept }' m.hlo >ordered.hlo
    sed 's/, metadata={[^}]*}//' m.hlo >bare.hlo
    hlo-opt --large-constants m.hlo >printed.hlo
    hlo-opt --print=short --control-predecessors m.hlo >short.hlo
    hlo-opt --emit=json m.hlo >m.json
    hlo-opt --emit=proto m.hlo -o m.pb
    for file in named.hlo ordered.hlo bare.hlo printed.hlo short.hlo m.json m.pb; do
        ! cmp -s $file m.hlo || fail "$file is m.hlo"
        hlo-opt --hash $file | cmp - wanted || fail "$file"
    done
    { cat m.hlo; echo '// -----'; cat named.hlo; } | hlo-opt --split-input-file --hash - >got
    cat wanted wanted | cmp - got
    hlo-opt --passes=dce,cse --large-constants m.hlo | hlo-opt --hash >after
    hlo-opt --passes=dce,cse --hash m.hlo | cmp - after
    expect_status 2 hlo-opt --hash --emit=json m.hlo
}

@test "--hash: everything else changes it" {
    hlo-opt --hash m.hlo >seen
    while read -r change; do
        sed "$change" m.hlo >changed.hlo
        ! cmp -s changed.hlo m.hlo || fail "$change changes nothing"
        hlo-opt --hash changed.hlo >hash || fail "$change: no module"
        ! grep -qFf hash seen || fail "$change: the hash of another one"
        cat hash >>seen
    done <<'END'
s/subtract/divide/
s/subtract(r, q)/subtract(q, r)/
s/to_apply=add.1/to_apply=mul.2/
s/multiply(a.2, b.2)/multiply(b.2, a.2)/
s/, 12}/, 13}/
s/may-alias/must-alias/
s/, input_output_alias.*}, entry/, entry/
s/{1,0}/{0,1}/g
s/op_name="x"}/op_name="x"}, sharding={replicated}/
s/control-predecessors={w}/control-predecessors={x}/
s/target="t"/target="u"/
s/k="v"/k="w"/
s/config="b"/config="c"/
s/tuple(d, t)/tuple(x, t)/
s/f32\[\]/bf16[]/g; s/f32\[2/bf16[2/g
s/HloModule m/HloModule m, replica_count=2/
END
}

@test "--hash: elements that are not listed" {
    constant() { printf 'HloModule m\nENTRY e {\n  ROOT c = %s constant(%s)\n}\n' "$@" | hlo-opt --hash -; }
    # {...} is itself, and takes neither time nor memory.
    constant 'f32[300]' '{...}' >elided
    printf 'HloModule m\nENTRY e {\n  ROOT c = f32[300] constant({...})\n}\n' | hlo-opt --print=default - | hlo-opt --hash | cmp - elided
    ! constant 'f32[301]' '{...}' | cmp -s - elided
    # Sanitizers take additional address space.
    [ "$(basename "$HLO_BUILD")" = build ] || ulimit() { :; }
    (ulimit -v 500000 && constant 'u8[1000000000]' '{...}') >large
    grep -qE '^[0-9a-f]{32}$' large
    # One number for an array is not another one, and the same as the elements that it stands for.
    constant 'f32[3]' 1 >one
    constant 'f32[3]' '{1, 0, 0}' | cmp - one
    ! constant 'f32[3]' 2 | cmp -s - one
}

@test "--hash: does not follow every path of calls" {
    { printf 'HloModule m\nf.0 { ROOT x.0 = f32[] parameter(0) }\n'
      for i in $(seq 60); do
          printf 'f.%s {\n x.%s = f32[] parameter(0)\n a.%s = f32[] call(x.%s), to_apply=f.%s\n' $i $i $i $i $((i - 1))
          printf ' ROOT b.%s = f32[] call(a.%s), to_apply=f.%s\n}\n' $i $i $((i - 1))
      done
      printf 'ENTRY e {\n x = f32[] parameter(0)\n ROOT y = f32[] call(x), to_apply=f.60\n}\n'; } >deep.hlo
    cpu_seconds 5 hlo-opt --hash deep.hlo >hash
    grep -qE '^[0-9a-f]{32}$' hash
}

@test "--hash: the order of a schedule counts, that of other modules does not; a written default is none" {
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  x = f32[4] parameter(0)' '  w = f32[4] sine(x)' '  v = f32[4] cosine(x)' \
        '  ROOT t = (f32[4], f32[4]) tuple(w, v)' '}' >s.hlo
    awk '/ w = /{ kept = $0; next } { print } / v = /{ print kept }' s.hlo >moved.hlo
    ! cmp -s s.hlo moved.hlo
    [ "$(hlo-opt --hash s.hlo)" = "$(hlo-opt --hash moved.hlo)" ]
    sed 's/HloModule m/&, is_scheduled=false, replica_count=1/' s.hlo >defaults.hlo
    [ "$(hlo-opt --hash s.hlo)" = "$(hlo-opt --hash defaults.hlo)" ]
    sed -i 's/HloModule m/&, is_scheduled=true/' s.hlo moved.hlo
    [ "$(hlo-opt --hash s.hlo)" != "$(hlo-opt --hash moved.hlo)" ]
    mkdir both
    mv s.hlo moved.hlo both
    expect_status 0 hlo-verify --dedup -v both
    ! grep -qi 'same' "$out" "$err" || fail "$(cat "$out" "$err")"
}

@test "--hash: a schedule of a computation that an async start runs and the text leaves out" {
    printf '%s\n' 'HloModule m, is_scheduled=true' 'w {' '  b = f32[4] parameter(1)' '  a = f32[4] parameter(0)' \
        '  ROOT r = f32[4] add(a, b)' '}' 'ENTRY e {' '  x = f32[4] parameter(0)' \
        '  s = ((f32[4], f32[4]), f32[4], u32[]) async-start(x, x), calls=w' '  ROOT d = f32[4] async-done(s)' '}' >s.hlo
    hlo-opt s.hlo >printed.hlo
    grep -q ' add-start(' printed.hlo
    [ "$(hlo-opt --hash s.hlo)" = "$(hlo-opt --hash printed.hlo)" ]
    sed 's/async-start.*/call(x, x), to_apply=w/; s/((f32\[4\], f32\[4\]), f32\[4\], u32\[\])/f32[4]/; s/ async-done(s)/ negate(s)/' s.hlo >called.hlo
    awk '/ b = /{ kept = $0; next } { print } / a = /{ print kept }' called.hlo >moved.hlo
    [ "$(hlo-opt --hash called.hlo)" != "$(hlo-opt --hash moved.hlo)" ]
}
