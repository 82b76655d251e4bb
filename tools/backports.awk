# Reads apt's sources (one-line and deb822) and writes, once, the entry of this release's backports in
# deb822: the first entry whose suite is the release's codename (-v code=...), with the suite replaced.
# Address, signature and options stay those of the machine, so no server is named here.

function finish(    i, types, suites, enabled, part, out) {
    enabled = 1
    for (i = 1; i <= lines; i++) {
        part = tolower(line[i])
        if (part ~ /^types:/ && part ~ /[: \t]deb([ \t]|$)/) types = 1
        else if (part ~ /^suites:/ && index(part " ", " " code " ")) suites = 1
        else if (part ~ /^enabled:[ \t]*(no|false|off|0)/) enabled = 0
        if (line[i] !~ /^(Types|Suites|Components):/) out = out line[i] "\n"
    }
    if (types && suites && enabled) write(out)
    lines = 0
}

function write(rest) {
    if (!done) printf "Types: deb\nSuites: %s-backports\nComponents: main\n%s", code, rest
    done = 1
}

function one_line(    rest, options, i, n, option, value) {
    rest = $0
    sub(/^deb[ \t]+/, "", rest)
    if (match(rest, /^\[[^]]*\]/)) {
        n = split(substr(rest, 2, RLENGTH - 2), option, /[ \t]+/)
        rest = substr(rest, RLENGTH + 1)
        for (i = 1; i <= n; i++) {
            if (!index(option[i], "=")) continue
            value = substr(option[i], index(option[i], "=") + 1)
            gsub(/,/, " ", value)
            sub(/=.*/, "", option[i])
            sub(/^arch$/, "Architectures", option[i])
            options = options option[i] ": " value "\n"
        }
    }
    n = split(rest, option, /[ \t]+/)
    i = option[1] == "" ? 2 : 1
    if (option[i + 1] == code) write("URIs: " option[i] "\n" options)
}

FNR == 1 { finish() }
/^#/ { next }
/^deb[ \t]/ { one_line(); next }
/^[ \t]*$/ { finish(); next }
{ line[++lines] = $0 }
END { finish() }
