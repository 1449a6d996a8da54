import { Compass, SquareTerminal } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { useModels } from './context.tsx';
import { ConnectPanel } from './model-settings.tsx';

export interface WelcomeProps {
  readonly onTour: () => void;
  /** True while the tour is being made. */
  readonly startingTour: boolean;
}

/** An empty chat. Without a model: how to get one, and what works without. With one: what may be tried. */
export function Welcome({ onTour, startingTour }: WelcomeProps) {
  const current = useModels((state) => state.current);
  if (current.kind === 'loading') return <p role="status" className="flex items-center justify-center gap-2 p-10 text-xs text-muted"><Spinner />Reading the settings</p>;
  if (current.kind === 'ready' && current.value !== null) return <Ready model={current.value.model} onTour={onTour} startingTour={startingTour} />;
  return (
    <div className="mx-auto flex max-w-140 flex-col gap-5 px-6 pt-10 pb-6">
      <header>
        <h2 className="text-xl font-semibold">Connect a model</h2>
        <p className="mt-1 text-muted">Talaria talks to any server with an OpenAI-compatible address. Nothing is sent anywhere until you send a message.</p>
      </header>
      {current.kind === 'failed' ? <InlinePanel role="alert" tone="danger" title={current.error.message}>{current.error.hint}</InlinePanel> : null}
      <ConnectPanel current={null} />
      <section aria-label="Without a model" className="flex flex-col gap-2 border-t border-line pt-4">
        <h3 className="text-xs font-medium">Works without a model</h3>
        <TourAndCommand onTour={onTour} startingTour={startingTour} />
      </section>
    </div>
  );
}

function Ready({ model, onTour, startingTour }: WelcomeProps & { readonly model: string }) {
  return (
    <div className="mx-auto flex min-h-full max-w-140 flex-col justify-center gap-5 px-6 py-8">
      <header>
        <h2 className="text-xl font-semibold">What shall be done?</h2>
        <p className="mt-1 text-muted"><span className="font-mono text-xs">{model}</span> may run commands, read and change files and look things up. It asks you before anything dangerous.</p>
      </header>
      <TourAndCommand onTour={onTour} startingTour={startingTour} />
    </div>
  );
}

function TourAndCommand({ onTour, startingTour }: WelcomeProps) {
  return (
    <ul className="flex flex-col gap-2">
      <li className="flex items-center gap-3 rounded-md border border-line px-3 py-2.5">
        <Compass size={18} aria-hidden className="shrink-0 text-muted" />
        <div className="min-w-0 flex-1">
          <p className="font-medium">Guided tour</p>
          <p className="text-xs text-muted">A scripted chat with real tools: a command in its terminal, a file, an approval, a background process.</p>
        </div>
        <Button busy={startingTour} onClick={onTour}>Start the guided tour</Button>
      </li>
      <li className="flex items-center gap-3 rounded-md border border-line px-3 py-2.5">
        <SquareTerminal size={18} aria-hidden className="shrink-0 text-muted" />
        <div className="min-w-0 flex-1">
          <p className="font-medium">Run a command</p>
          <p className="text-xs text-muted">Begin with an exclamation mark, for example <code className="rounded-sm bg-hover px-1">!git status</code>. It runs in the chat’s own terminal.</p>
        </div>
      </li>
    </ul>
  );
}
