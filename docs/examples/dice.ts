/** A tool of your own: put this file into `<home>/tools/`, then `talaria tools trust dice.ts`. */
interface Registry { register(tool: object): void }
interface Helpers { toolResult(data: unknown): string; toolError(message: string): string }
interface Given { readonly sides: number }

export default function define(registry: Registry, { toolResult, toolError }: Helpers): void {
  registry.register({
    name: 'roll_die',
    toolset: 'games',
    emoji: '🎲',
    schema: {
      description: 'Roll one die.',
      parameters: { type: 'object', properties: { sides: { type: 'integer', minimum: 2, description: 'Sides of the die.' } }, required: ['sides'] },
    },
    handler: ({ sides }: Given) => (sides > 1_000 ? toolError('No die has that many sides.') : toolResult({ rolled: 1 + Math.floor(Math.random() * sides) })),
  });
}
