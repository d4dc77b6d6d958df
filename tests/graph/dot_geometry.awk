# Reads a drawing of hlo-dot whose places are its own (--layout=fast) and prints what is wrong with it, a line each:
# nodes and clusters that lie on each other or leave the cluster that they are in, enters outside their frame, labels of edges
# that lie on each other. The last line is the number of nodes and that of frames. Called by dot.bats and dot_frames.bats.

# A node or cluster of the innermost cluster that is open: its sides in points.
function add(name, left, bottom, right, top) {
    n++
    title[n] = name; x0[n] = left; y0[n] = bottom; x1[n] = right; y1[n] = top
    if (right - left < 1 || top - bottom < 1) print name " has no size"
}

function is_apart(a, b) {
    return x1[a] <= x0[b] + 0.6 || x1[b] <= x0[a] + 0.6 || y1[a] <= y0[b] + 0.6 || y1[b] <= y0[a] + 0.6
}

function is_inside(a, b) {
    return x0[a] >= x0[b] - 0.6 && y0[a] >= y0[b] - 0.6 && x1[a] <= x1[b] + 0.6 && y1[a] <= y1[b] + 0.6
}

function number_after(key) {
    return match($0, key "[-0-9.]+") ? substr($0, RSTART + length(key), RLENGTH - length(key)) + 0 : "nan"
}

# Everything that is in the cluster that ends here.
function close_cluster(i, j, at) {
    at = open[depth]
    for (i = first[depth]; i <= n; i++) {
        if (holder[i] != at) continue
        if (at && !is_inside(i, at)) print title[i] " leaves " label[at]
        for (j = first[depth]; j < i; j++)
            if (holder[j] == at && !is_apart(i, j)) print title[j] " and " title[i] " lie on each other"
    }
    depth--
}

# A label of 8 points; in the narrowest font in use digits are 4.4 wide, and what else labels have at least 2.2.
function add_label(text, place,   at, w) {
    if (!match($0, " " text "=\"[^\"]*\"")) return
    text = substr($0, RSTART + length(text) + 3, RLENGTH - length(text) - 4)
    if (!match($0, " " place "=\"[^\"]*\"")) { print "no place: " $0; return }
    split(substr($0, RSTART + length(place) + 3), at, /[,"]/)
    w = length(text) * 1.1
    w += gsub(/[0-9]/, "&", text) * 1.1
    labels++
    label_text[labels] = text; label_x0[labels] = at[1] - w; label_x1[labels] = at[1] + w; label_y[labels] = at[2]
}

function check_labels(   i, j, dy) {
    for (i = 1; i <= labels; i++)
        for (j = 1; j < i; j++) {
            dy = label_y[i] - label_y[j]
            if (dy < 7 && dy > -7 && label_x0[i] < label_x1[j] && label_x0[j] < label_x1[i])
                print "labels " label_text[j] " and " label_text[i] " lie on each other"
        }
}

BEGIN { first[0] = 1 }
/nan/ && /(pos|bb)="[^"]*nan/ { print "no place: " $0 }
/^subgraph / {
    add($2, 0, 0, 1, 1)
    holder[n] = open[depth]
    open[++depth] = n
    first[depth] = n + 1
    if ($2 ~ /^cluster_frame_/) frames++
}
/^label="/ && depth { label[open[depth]] = substr($0, 8, length($0) - 9) }
/^bb="/ && depth {
    split(substr($0, 5, length($0) - 6), bb, ",")
    at = open[depth]
    x0[at] = bb[1]; y0[at] = bb[2]; x1[at] = bb[3]; y1[at] = bb[4]
}
/^n[0-9]+ \[label=/ {
    nodes++
    match($0, / pos="[^"]*"/)
    split(substr($0, RSTART + 6, RLENGTH - 7), p, ",")
    w = number_after(", width=") * 36; h = number_after(", height=") * 36
    add($1, p[1] - w, p[2] - h, p[1] + w, p[2] + h)
    holder[n] = open[depth]
    if (match($0, /frame_name=\\"[^"]*\\"/) &&
        label[open[depth]] != "frame " substr($0, RSTART + 13, RLENGTH - 15)) print $1 " is in " label[open[depth]]
}
/^n[0-9]+ -> / { add_label("headlabel", "head_lp"); add_label("label", "lp") }
/^}/ { close_cluster() }
END { check_labels(); print nodes + 0, frames + 0 }
