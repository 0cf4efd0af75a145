"""What makes a shell complete the command: a script that asks the command itself.

A script holds no name of a command or an option, so it stays right when those change.
"""

from collections.abc import Mapping

BASH = r"""# completion of winnow for bash
_winnow() {
    local program="${1/#\~/$HOME}" value
    COMPREPLY=()
    while IFS=$'\t' read -r value _; do
        COMPREPLY+=("$value")
    done < <("$program" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _winnow winnow
"""

ZSH = r"""#compdef winnow
_winnow() {
    local -a found
    local value help
    while IFS=$'\t' read -r value help; do
        found+=("${value//:/\\:}${help:+:$help}")
    done < <("${(Q)words[1]}" completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    if (( $#found )); then
        _describe -V winnow found
    else
        _files
    fi
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _winnow "$@"
else
    compdef _winnow winnow
fi
"""

FISH = r"""# completion of winnow for fish
function __winnow_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l found ($before[1] completion fish -- $before[2..-1] "$word" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c winnow -f -a '(__winnow_complete)'
"""

SCRIPTS: Mapping[str, str] = {"bash": BASH, "zsh": ZSH, "fish": FISH}
