# A program with n of what `kind` names. Called by growth.bats.
function list(count, word, i) {
    for (i = 0; i < count; i++) printf "%s%s", i ? ", " : "", word
}
function begin(more, i) {
    printf "func.func @main(%%x: %s, %%q: %s, %%p: tensor<i1>", T, T
    for (i = 0; i < more; i++) printf ", %%a%d: %s", i, T
    printf ") -> %s {\n", T
}
function end(value) {
    printf "  return %%%s : %s\n}\n", value, T
}
function chain(from, step, last, i) {
    printf "  %%0 = stablehlo.tanh %s : %s\n", from, T
    for (i = 1; i < n; i++) printf step, i, last == "" ? i - 1 : last, T
}
BEGIN {
    T = "tensor<8xf32>"
    if (kind == "chain") {
        begin(); chain("%x", "  %%%d = stablehlo.add %%%d, %%q : %s\n"); end(n - 1)
    } else if (kind == "uses") {
        begin(); chain("%x", "  %%%d = stablehlo.add %%%s, %%x : %s\n", "q"); end(n - 1)
    } else if (kind == "operands" || kind == "dead-operands") {
        begin()
        print "  %y = stablehlo.tanh %x : " T
        printf "  %%t = stablehlo.concatenate "
        list(n, "%y")
        printf ", dim = 0 : ("
        list(n, T)
        printf ") -> tensor<%dxf32>\n", 8 * n
        if (kind == "operands") printf "  %%r = stablehlo.slice %%t [0:8] : (tensor<%dxf32>) -> %s\n", 8 * n, T
        end(kind == "operands" ? "r" : "y")
    } else if (kind == "parameters") {
        begin(n); end("a" n - 1)
    } else if (kind == "functions") {
        begin()
        for (i = 0; i < n; i++) printf "  %%%d = call @f%d(%%%s) : (%s) -> %s\n", i, i, i ? i - 1 : "x", T, T
        end(n - 1)
        for (i = 0; i < n; i++)
            printf "func.func private @f%d(%%a: %s) -> %s {\n  %%0 = stablehlo.tanh %%a : %s\n  return %%0 : %s\n}\n", i, T, T, T, T
    } else if (kind == "aliases") {
        begin()
        for (i = 0; i < n; i++) printf "  %%%d = stablehlo.add %%x, %%q : %s loc(#loc%d)\n", i, T, i
        end(n - 1)
        for (i = 0; i < n; i++) printf "#loc%d = loc(\"a%d\"(#file%d))\n#file%d = loc(\"f.py\":%d:1)\n", i, i, i, i, i + 1
    } else if (kind == "constants") {
        begin()
        for (i = 0; i < n; i++) {
            printf "  %%c%d = stablehlo.constant dense<%d.5> : %s\n", i, i, T
            printf "  %%%d = stablehlo.add %%%s, %%c%d : %s\n", i, i ? i - 1 : "x", i, T
        }
        end(n - 1)
    } else if (kind == "reductions") {
        begin()
        print "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %r0 = stablehlo.slice %x [0:1] : (" T ") -> tensor<1xf32>"
        for (i = 1; i < n; i++) {
            printf "  %%s%d = stablehlo.reduce(%%r%d init: %%z) applies stablehlo.add across dimensions = [0] : ", i, i - 1
            printf "(tensor<1xf32>, tensor<f32>) -> tensor<f32>\n"
            printf "  %%r%d = stablehlo.reshape %%s%d : (tensor<f32>) -> tensor<1xf32>\n", i, i
        }
        printf "  %%b = stablehlo.broadcast_in_dim %%r%d, dims = [0] : (tensor<1xf32>) -> %s\n", n - 1, T
        end("b")
    } else if (kind == "captured") {
        begin()
        chain("%x", "  %%%d = stablehlo.add %%%d, %%q : %s\n")
        print "  %r = \"stablehlo.if\"(%p) ({\n    %y0 = stablehlo.tanh %q : " T
        for (i = 1; i < n; i++) printf "    %%y%d = stablehlo.add %%y%d, %%%d : %s\n", i, i - 1, i, T
        printf "    stablehlo.return %%y%d : %s\n  }, {\n    stablehlo.return %%q : %s\n", n - 1, T, T
        printf "  }) : (tensor<i1>) -> %s\n", T
        end("r")
    } else if (kind == "loop") {
        begin()
        printf "  %%w:%d = stablehlo.while(", n
        for (i = 0; i < n; i++) printf "%s%%i%d = %%x", i ? ", " : "", i
        printf ") : "
        list(n, T)
        print "\n  cond {\n    %c = stablehlo.constant dense<true> : tensor<i1>"
        print "    stablehlo.return %c : tensor<i1>\n  } do {"
        for (i = 0; i < n; i++) printf "    %%y%d = stablehlo.add %%i%d, %%i%d : %s\n", i, i, (i + 1) % n, T
        printf "    stablehlo.return "
        for (i = 0; i < n; i++) printf "%s%%y%d", i ? ", " : "", i
        printf " : "
        list(n, T)
        print "\n  }"
        end("w#" n - 1)
    } else {
        print "no kind " kind >"/dev/stderr"
        exit 1
    }
}
