"""Examples that stand below the help of a command."""

from collections.abc import Mapping

EXAMPLES: Mapping[str, str] = {
    "": """\
winnow index ~/notes
winnow recall 'who approved the rotation?'
winnow recall --schema legal.Matter --where 'escrowPct >= 10 and status = Active'
winnow store 'Token rotation was approved for every service' --kind decision
""",
    "recall": """\
winnow recall 'who approved the rotation?' --kind decision --tag security
winnow recall 'rotation' --where 'importance >= 0.3 and metadata.project is null'
winnow recall --schema legal.Matter --where 'escrowPct >= 10 and client.tier = Gold'
winnow recall --schema legal.Matter --where 'escrowPct >= 10' --near-misses 3
winnow recall 'software carve-out' --schema legal.Matter --limit 3
winnow recall --schema legal.Matter --json
""",
    "check": """\
winnow check 'token rotation'
winnow check 'token rotation' --tag security --limit 1
""",
    "list": """\
winnow list --where 'path is null' --order-by createdAt:desc --limit 20
winnow list --kind decision,goal --since 2026-01-01
winnow list --schema legal.Matter --where 'status = Active' --order-by escrowPct:desc
winnow list --schema legal.Matter --plain
winnow list --deleted
""",
    "count": """\
winnow count --kind decision
winnow count --schema legal.Matter --where 'escrowPct > 10'
""",
    "aggregate": """\
winnow aggregate --schema legal.Matter --group-by status
winnow aggregate --schema legal.Matter --metrics 'count,sum(dealValueUSD),avg(escrowPct)'
winnow aggregate --group-by kind
""",
    "explain": """\
winnow explain MAT-2390 --schema legal.Matter --where 'escrowPct >= 10'
""",
    "schema": """\
winnow schema
winnow schema legal.Matter
""",
    "store": """\
winnow store 'Token rotation was approved for every service' --kind decision
winnow store 'The buyer wants an escrow of 12 %' --tag escrow --meta project=atlas --meta pct=12
winnow store 'The build is red' --id build --ttl 3600
winnow store - --title Crane --tag harbor < old-notes/crane.md
""",
    "update": """\
winnow update m1 --importance 0.9 --clear tags
""",
    "delete": """\
winnow delete m1
winnow delete --tag draft --dry-run
winnow delete --tag draft --expected-count 3
""",
    "undelete": """\
winnow undelete m1
winnow undelete --ids d1,d2
winnow undelete --deleted-since 1h
""",
    "retype": """\
winnow retype m2 --kind decision
winnow retype --tag draft --auto --dry-run
""",
    "index": """\
winnow index ~/notes
winnow index ~/notes --watch
winnow index ~/notes --namespace firm --pack shelf.yaml
""",
    "import": """\
winnow import memories.jsonl
winnow import - < memories.jsonl
winnow import memory.jsonl --format mcp-memory --namespace graph --dry-run
winnow import tickets.csv --map text=Body --map id=Key --map 'tags=Labels:;'
winnow import ~/old-notes --format markdown
""",
    "export": """\
winnow export all.jsonl
winnow export all.jsonl --replace
winnow export --kind decision > decisions.jsonl
""",
    "backup": """\
winnow backup winnow.backup
winnow backup winnow.backup --replace
""",
    "restore": """\
winnow restore winnow.backup --store new.db
winnow restore winnow.backup --replace
""",
    "doctor": """\
winnow doctor
winnow doctor --repair
""",
    "namespace set": """\
winnow namespace set default --auto-classify regex_only
winnow namespace set notes --embedder none
""",
    "keys create": """\
winnow keys create reader
winnow keys create editor --scopes read,write --namespaces firm
""",
    "install": """\
winnow install claude-code
winnow install cursor --profile core --write
""",
    "bench": """\
winnow bench
winnow bench --namespace default --calls 5 --json
""",
    "completion": """\
winnow completion bash > ~/.local/share/bash-completion/completions/winnow
winnow completion zsh > "${fpath[1]}/_winnow"
winnow completion fish > ~/.config/fish/completions/winnow.fish
""",
}
