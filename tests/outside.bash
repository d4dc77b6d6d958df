# Data outside this project, which tests use where it is there: HLO_SHARED names its folder, ../shared beside the source tree
# otherwise. In it are real dumps (corpus), texts of 2017 to 2026 (wild), golden cases, the operation semantics and the cases
# of the verifier as they were given. HLO_CORPUS and HLO_WILD may name the first two alone. Read by run-all.sh and lib.bash.

: "${HLO_SHARED:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/shared}"
# Empty without it: the programs that judge all modules know no other place.
if [ -z "${HLO_CORPUS:-}" ] && [ -d "$HLO_SHARED/corpus" ]; then HLO_CORPUS=$HLO_SHARED/corpus; fi
: "${HLO_WILD:=$HLO_SHARED/wild}"
export HLO_SHARED HLO_CORPUS=${HLO_CORPUS:-} HLO_WILD
