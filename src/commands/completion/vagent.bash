# bash completion for vagent
# shellcheck shell=bash

__vagent_complete() {
    local line=${COMP_LINE:0:COMP_POINT} out directive value about typed before

    # The line goes to the program as it was typed: nothing in it is evaluated.
    out=$(vagent complete bash -- "${line#*[[:space:]]}" 2>/dev/null) || return
    directive=${out##*:}
    out=${out%:*}

    # Without candidates bash completes names of files, unless it is told not to. (bash 3 has no compopt.)
    if type compopt >/dev/null 2>&1; then
        if ((directive & 2)); then compopt -o nospace; fi
        if ((directive & 4)); then compopt +o default; fi
        if ((directive & 16)); then compopt +o default -o dirnames; fi
        if ((directive & 32)); then compopt -o nosort 2>/dev/null; fi
    fi

    # bash takes = and : for the end of a word, and replaces only what follows the last of them.
    typed=${line##*[[:space:]]}
    before=${COMP_WORDS[COMP_CWORD]}
    case $before in
    = | :) before=$typed ;;
    *) before=${typed%"$before"} ;;
    esac

    COMPREPLY=()
    while IFS=$'\t' read -r value about; do
        [[ -n $value ]] || continue
        value=${value#"$before"}
        # A list that is only shown has descriptions.
        if [[ $COMP_TYPE == 63 && -n $about && $out == *$'\n'*$'\n'* ]]; then value="$value  ($about)"; fi
        COMPREPLY+=("$value")
    done <<<"$out"
}

complete -o default -F __vagent_complete vagent
