import { Command, Option } from 'commander'
import type { SessionKind } from 'palimpsest/internals/log/index'
import { namespaceOption, storeOption } from './options.ts'
import type { Terminal } from './terminal.ts'

export interface McpFlags {
  readonly db?: string
  readonly store?: string
  readonly namespace: string
  readonly session?: string
  readonly kind?: SessionKind
  readonly user?: string
  readonly scope?: string
  readonly readOnly?: true
}

export function mcpCommand(terminal: Terminal): Command {
  return new Command('mcp')
    .description('Give an assistant this memory as tools: an MCP server over standard input and output.')
    .optionsGroup('Where:')
    .option('--db <file>', 'the SQLite database (default: PALIMPSEST_DB, or palimpsest.db)')
    .addOption(storeOption())
    .addOption(namespaceOption())
    .optionsGroup('Which chat:')
    .option('--session <id>', 'the one that all tools are for (default: each call names one)')
    .addOption(
      new Option('--kind <kind>', 'with --session: what the chat is, if it has to be made').choices([
        'private',
        'group',
        'agent',
      ]),
    )
    .option('--user <id>', 'with --session: whose private chat it is, if it has to be made')
    .option('--scope <id>', 'with --session: the workspace that it belongs to, if it has to be made')
    .optionsGroup('What is allowed:')
    .option('--read-only', 'only the tools that read')
    .addHelpText(
      'after',
      `
Standard output belongs to the protocol: warnings and errors are on standard error. It ends when standard input
does, and on Ctrl-C. Several may run on one database. Model and policy are those stored in the database or of the
environment; see palimpsest serve --help. It needs the package @modelcontextprotocol/server.

In the configuration of an MCP client:
  {
    "mcpServers": {
      "palimpsest": {
        "command": "npx",
        "args": ["palimpsest", "mcp", "--db", "/home/ann/palimpsest.db", "--session", "assistant", "--user", "ann"]
      }
    }
  }

Examples:
  palimpsest mcp --db palimpsest.db --session assistant --user ann
  palimpsest mcp --db palimpsest.db --read-only`,
    )
    .action(async (flags: McpFlags) => {
      const { runMcp } = await import('./run-mcp.ts')
      await runMcp(flags, terminal)
    })
}
