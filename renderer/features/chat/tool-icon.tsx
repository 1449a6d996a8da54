import { Brain, CircleHelp, Eye, FilePen, FilePlus2, FileSearch, FileText, Globe, History, ListTodo, Plug, Search, SquareTerminal, Timer, Users, Workflow, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';

const LOOK = { size: 15, 'aria-hidden': true, className: 'shrink-0 text-muted' } as const;

const ICONS = new Map<string, ReactNode>([
  ['terminal', <SquareTerminal {...LOOK} />], ['execute_code', <SquareTerminal {...LOOK} />], ['process', <Workflow {...LOOK} />],
  ['read_file', <FileText {...LOOK} />], ['write_file', <FilePlus2 {...LOOK} />], ['patch', <FilePen {...LOOK} />], ['search_files', <FileSearch {...LOOK} />],
  ['web_search', <Search {...LOOK} />], ['web_extract', <Globe {...LOOK} />], ['memory', <Brain {...LOOK} />], ['todo', <ListTodo {...LOOK} />],
  ['session_search', <History {...LOOK} />], ['delegate_task', <Users {...LOOK} />], ['clarify', <CircleHelp {...LOOK} />], ['cronjob', <Timer {...LOOK} />],
  ['vision_analyze', <Eye {...LOOK} />],
]);

/** Known tools have a drawn icon, others the emoji they registered with. */
export function ToolIcon({ name, emoji }: { readonly name: string; readonly emoji: string }) {
  const icon = ICONS.get(name);
  if (icon !== undefined) return icon;
  if (name.startsWith('mcp_')) return <Plug {...LOOK} />;
  if (emoji === '') return <Wrench {...LOOK} />;
  return <span aria-hidden className="w-[15px] shrink-0 text-center text-xs">{emoji}</span>;
}
