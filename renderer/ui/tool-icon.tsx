import { AppWindow, AudioLines, BookOpen, Brain, Camera, ChartLine, CircleHelp, Eye, FilePen, FilePlus2, FileSearch, FileText, Globe, History, House, Image, ListTodo, Plug, Search, Send, SquareTerminal, Timer, Users, UsersRound, Workflow, Wrench } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

const drawn = (Icon: LucideIcon): ReactNode => <Icon size={15} aria-hidden className="shrink-0 text-muted" />;

const ICONS: ReadonlyMap<string, ReactNode> = new Map(Object.entries({
  terminal: drawn(SquareTerminal), execute_code: drawn(SquareTerminal), process: drawn(Workflow),
  read_file: drawn(FileText), write_file: drawn(FilePlus2), patch: drawn(FilePen), search_files: drawn(FileSearch),
  web_search: drawn(Search), web_extract: drawn(Globe), memory: drawn(Brain), todo: drawn(ListTodo),
  session_search: drawn(History), delegate_task: drawn(Users), clarify: drawn(CircleHelp), cronjob: drawn(Timer),
  vision_analyze: drawn(Eye), image_generate: drawn(Image), text_to_speech: drawn(AudioLines), send_message: drawn(Send), mixture_of_agents: drawn(UsersRound),
  browser_vision: drawn(Camera), browser_get_images: drawn(Image),
}));
/** Of a family of tools, by how their names begin. */
const FAMILIES = Object.entries({ mcp_: drawn(Plug), browser_: drawn(AppWindow), skill: drawn(BookOpen), ha_: drawn(House), rl_: drawn(ChartLine) });
const UNKNOWN = drawn(Wrench);

/** Known tools have a drawn icon, others the emoji they registered with: not every machine has a font for those. */
export function ToolIcon({ name, emoji }: { readonly name: string; readonly emoji: string }) {
  const icon = ICONS.get(name) ?? FAMILIES.find(([start]) => name.startsWith(start))?.[1];
  if (icon !== undefined) return icon;
  return emoji === '' ? UNKNOWN : <span aria-hidden className="w-[15px] shrink-0 text-center text-xs">{emoji}</span>;
}
