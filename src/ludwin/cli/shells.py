"""The scripts of `ludwin completion`: bash, zsh and fish, each in its own idiom.

Why it is here.  Three shells, three languages, one description of our commands (`completion.lines`).
"""

from collections.abc import Iterable, Mapping

from ludwin import __version__
from ludwin.cli.completion import CommandLine, Completable, Flag

Names = Mapping[str, tuple[str, ...]]


def script(shell: str, lines: Mapping[str, CommandLine], names: Names) -> str:
    """Return the completion script of a shell."""
    return {"bash": bash, "zsh": zsh, "fish": fish}[shell](lines, names)


# ---- bash: words are broken at = and :, so they are put together first, and answers are cut again ----

BASH = r"""# Completion of ludwin @VERSION@ for bash:  source <(ludwin completion bash)

_ludwin_offer() {  # KIND CURRENT WORD...: fill COMPREPLY with what begins with CURRENT
    local kind=$1 current=$2 found
    shift 2
    case $kind in
        game) set -- "$@" @GAMES@ ;;
        agent) set -- "$@" @AGENTS@ ;;
    esac
    while IFS= read -r found; do
        if [[ -n $found && " ${COMPREPLY[*]} " != *" $found "* ]]; then
            COMPREPLY+=("$found")
        fi
    done < <(
        compgen -W "$*" -- "$current"
        case $kind in
            game | agent) compgen -f -X '!*.py' -- "$current"; compgen -d -S / -- "$current" ;;
            file) compgen -f -- "$current" ;;
            folder) compgen -d -- "$current" ;;
        esac
    )
    case $kind in
        game | agent) compopt -o nospace 2>/dev/null ;;
        file | folder) compopt -o filenames 2>/dev/null ;;
    esac
}

_ludwin_flags() {  # COMMAND: its options
    case $1 in
@FLAGS@
    esac
}

_ludwin_value() {  # COMMAND OPTION-or-PLACE: how many values it takes (+: any number), their kind, and words
    case "$1 $2" in
@VALUES@
        *) echo "0 -" ;;
    esac
}

_ludwin() {
    local -a words=() value=()
    local index word raw current glue= cut= command flag= pending=0 place=0
    COMPREPLY=()
    for ((index = 0; index <= COMP_CWORD; index++)); do
        raw=${COMP_WORDS[index]}
        if ((index == COMP_CWORD)) && [[ -z $raw && ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]]; then
            glue=
        fi
        if ((${#words[@]} > 2)) && [[ $raw == [:=] || $raw == [:=][:=] || -n $glue ]]; then
            word=${words[${#words[@]} - 1]}
            words[${#words[@]} - 1]=$word$raw
            cut=$word
            glue=
            if [[ $raw == [:=] || $raw == [:=][:=] ]]; then
                glue=yes
                cut=$word$raw
            fi
        else
            words+=("$raw")
            cut=
            glue=
        fi
    done
    current=${words[${#words[@]} - 1]}
    command=${words[1]}
    if ((${#words[@]} == 2)); then
        _ludwin_offer words "$current" @COMMANDS@ --help --version
        return
    fi
    for ((index = 2; index < ${#words[@]} - 1; index++)); do
        word=${words[index]}
        if [[ $word == -* && ! $word =~ ^-[0-9] ]]; then
            flag=${word%%=*}
            read -r -a value <<<"$(_ludwin_value "$command" "$flag")"
            pending=${value[0]}
            [[ $word == *=* && $pending != + ]] && pending=0
        elif [[ $pending == + ]]; then
            :
        elif ((pending > 0)); then
            ((pending -= 1))
        else
            ((place += 1))
        fi
    done
    if [[ $current == --*=* ]]; then
        flag=${current%%=*}
        read -r -a value <<<"$(_ludwin_value "$command" "$flag")"
        _ludwin_offer "${value[1]}" "${current#*=}" "${value[@]:2}"
        if [[ $cut != "$flag=" ]]; then
            COMPREPLY=("${COMPREPLY[@]/#/$flag=}")
        fi
        return
    fi
    if [[ $current == -* ]]; then
        _ludwin_offer words "$current" $(_ludwin_flags "$command")
        return
    fi
    if [[ $pending == + ]] || ((pending > 0)); then
        read -r -a value <<<"$(_ludwin_value "$command" "$flag")"
    else
        read -r -a value <<<"$(_ludwin_value "$command" "$place")"
        if [[ ${value[0]} == 0 ]]; then
            read -r -a value <<<"$(_ludwin_value "$command" rest)"
        fi
    fi
    _ludwin_offer "${value[1]}" "$current" "${value[@]:2}"
    if [[ -n $cut ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
}

complete -F _ludwin ludwin
"""


def bash(lines: Mapping[str, CommandLine], names: Names) -> str:
    """Return the script of bash."""
    flags = [f"        {name}) echo '{' '.join(_long(line.flags))}' ;;" for name, line in lines.items()]
    values = []
    for name, line in lines.items():
        for flag in line.flags:
            if flag.values:
                number = "+" if flag.many else str(len(flag.values))
                for text in flag.names:
                    values.append(f"        '{name} {text}') echo '{number} {_bash_value(flag.values[0])}' ;;")
        for k, place in enumerate(line.places):
            where = "rest" if place.many else str(k)
            values.append(f"        '{name} {where}') echo '1 {_bash_value(place.value)}' ;;")
    return _fill(
        BASH,
        VERSION=__version__,
        GAMES=" ".join(names["game"]),
        AGENTS=" ".join(names["agent"]),
        COMMANDS=" ".join(lines),
        FLAGS="\n".join(flags),
        VALUES="\n".join(values),
    )


def _bash_value(value: Completable) -> str:
    return " ".join([value.kind or "words", *value.words])


# ---- zsh: _arguments does the work -----------------------------------------------------------------

ZSH = r"""#compdef ludwin
# Completion of ludwin @VERSION@ for zsh:  ludwin completion zsh > FOLDER/_ludwin, a folder of your fpath

_ludwin_game() {
    _alternative "games:game:(@GAMES@ $*)" 'files:game file:_files -g "*.py"'
}

_ludwin_agent() {
    _alternative "agents:agent:(@AGENTS@ $*)" 'files:agent file:_files -g "*.py"'
}

_ludwin_file() {
    _alternative "words:word:($*)" 'files:file:_files'
}

_ludwin() {
    local -a commands
    commands=(
@COMMANDS@
    )
    if (( CURRENT == 2 )); then
        _describe -t commands 'ludwin command' commands
        [[ $PREFIX == -* ]] && compadd -- --help --version
        return
    fi
    local command=${words[2]}
    shift words
    (( CURRENT-- ))
    case $command in
@CASES@
    esac
}

if [ "$funcstack[1]" = "_ludwin" ]; then
    _ludwin "$@"
else
    compdef _ludwin ludwin
fi
"""


HELP_MARKS = "\\[]:$`"  # in the help of an option


def zsh(lines: Mapping[str, CommandLine], names: Names) -> str:
    """Return the script of zsh."""
    commands = [f"        '{_zsh(name)}:{_zsh(line.about)}'" for name, line in lines.items()]
    cases = []
    for name, line in lines.items():
        specs = []
        for flag in line.flags:
            behind = "".join(f":{_zsh(value.name)}:{_zsh_action(value)}" for value in flag.values)
            for text in flag.names:
                one = f"{text}=" if len(flag.values) == 1 and text.startswith("--") else text
                specs.append(f"'{'*' if flag.many else ''}{one}[{_zsh(flag.help, HELP_MARKS)}]{behind}'")
        for place in line.places:
            colons = "*:" if place.many else "::" if place.optional else ":"
            specs.append(f"'{colons}{_zsh(place.value.name)}:{_zsh_action(place.value)}'")
        joined = " \\\n                ".join(specs)
        cases.append(f"        {name})\n            _arguments \\\n                {joined}\n            ;;")
    return _fill(
        ZSH,
        VERSION=__version__,
        GAMES=" ".join(names["game"]),
        AGENTS=" ".join(names["agent"]),
        COMMANDS="\n".join(commands),
        CASES="\n".join(cases),
    )


def _zsh_action(value: Completable) -> str:
    """Return what completes a value; behind a blank stands a function of ours that takes further words."""
    if not value.kind:
        return f"({' '.join(value.words)})" if value.words else " "
    if value.kind == "folder":
        return "_files -/"
    return " ".join([f" _ludwin_{value.kind}", *value.words])


def _zsh(text: str, marks: str = "\\:") -> str:
    """Return a text as part of a quoted word, with these marks escaped."""
    for mark in marks:
        text = text.replace(mark, f"\\{mark}")
    return text.replace("'", "'\\''").replace("\n", " ")


# ---- fish: one line for each thing -----------------------------------------------------------------

FISH = r"""# Completion of ludwin @VERSION@ for fish:  ludwin completion fish > ~/.config/fish/completions/ludwin.fish

function __ludwin_begins
    set -l words (commandline -opc)
    test (count $words) -eq 1
end

function __ludwin_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end

complete -c ludwin -f
complete -c ludwin -n __ludwin_begins -l help -d 'explain'
complete -c ludwin -n __ludwin_begins -l version -d 'print the version'
@LINES@
"""


def fish(lines: Mapping[str, CommandLine], names: Names) -> str:
    """Return the script of fish."""
    found = []
    for name, line in lines.items():
        found.append(f"complete -c ludwin -n __ludwin_begins -a {name} -d '{_fish(line.about)}'")
        here = f"complete -c ludwin -n '__ludwin_is {name}'"
        for flag in line.flags:
            texts = " ".join(f"-l {text[2:]}" if text.startswith("--") else f"-s {text[1:]}" for text in flag.names)
            takes = _fish_value(flag.values[0], names) if flag.values else ""
            found.append(f"{here} {texts}{takes} -d '{_fish(flag.help)}'")
        for value in dict.fromkeys(place.value for place in line.places):
            offer = _fish_value(value, names).replace(" -x", "").replace(" -r", "")
            if offer:
                found.append(f"{here}{offer}")
    return _fill(FISH, VERSION=__version__, LINES="\n".join(found))


def _fish_value(value: Completable, names: Names) -> str:
    words = [*value.words, *names.get(value.kind, ())]
    if value.kind in ("game", "agent"):
        words.append("(__fish_complete_suffix .py)")
    elif value.kind == "folder":
        words.append("(__fish_complete_directories)")
    offered = f" -a '{' '.join(words)}'" if words else ""
    return f" -r -F{offered}" if value.kind == "file" else f" -x{offered}"


def _fish(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ")


def _long(flags: Iterable[Flag]) -> list[str]:
    return [text for flag in flags for text in flag.names if text.startswith("--")]


def _fill(text: str, **parts: str) -> str:
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text
