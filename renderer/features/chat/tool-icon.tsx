import { Brain, CircleHelp, Eye, FilePen, FilePlus2, FileSearch, FileText, Globe, History, ListTodo, Plug, Search, SquareTerminal, Timer, Users, Workflow, Wrench } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';

const ICONS = new Map<string, LucideIcon>([
  ['terminal', SquareTerminal], ['execute_code', SquareTerminal], ['process', Workflow], ['read_file', FileText], ['write_file', FilePlus2],
  ['patch', FilePen], ['search_files', FileSearch], ['web_search', Search], ['web_extract', Globe], ['memory', Brain], ['todo', ListTodo],
  ['session_search', History], ['delegate_task', Users], ['clarify', CircleHelp], ['cronjob', Timer], ['vision_analyze', Eye],
]);

/** Known tools have a drawn icon, others the emoji they registered with. */
export function ToolIcon({ name, emoji }: { readonly name: string; readonly emoji: string }) {
  const Icon = ICONS.get(name) ?? (name.startsWith('mcp_') ? Plug : undefined);
  if (Icon !== undefined) return <Icon size={15} aria-hidden className="shrink-0 text-muted" />;
  if (emoji === '') return <Wrench size={15} aria-hidden className="shrink-0 text-muted" />;
  return <span aria-hidden className="w-[15px] shrink-0 text-center text-xs">{emoji}</span>;
}
