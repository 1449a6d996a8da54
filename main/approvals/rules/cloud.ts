/** Things that are kept or run elsewhere: storage, machines, repositories. */
import type { Invocation } from '../parse/model.ts';
import { type Hit, hitCommand, type Rule } from './rule.ts';

const dry = (texts: readonly string[]): boolean => texts.some((text) => /^--?(?:dry-?run|dryrun)(?:=true)?$/.test(text));

function storage(command: Invocation): Hit | undefined {
  const texts = command.argv.slice(1).map((field) => field.text);
  const [first, second] = texts.filter((text) => !text.startsWith('-'));
  if (dry(texts) || (command.name === 'rclone' && texts.includes('-n'))) return undefined;
  const hits = (command.name === 'aws' && first === 's3' && (second === 'rb' || (second === 'rm' && texts.includes('--recursive')) || (second === 'sync' && texts.includes('--delete'))))
    || (command.name === 'gsutil' && (/^(?:rm|rb)$/.test(first ?? '') || (first === 'rsync' && texts.some((text) => /^-\w*d/.test(text)))))
    || (command.name === 'rclone' && /^(?:purge|delete|deletefile|rmdirs|sync|cleanup)$/.test(first ?? ''))
    || (command.name === 'mc' && /^(?:rm|rb)$/.test(first ?? '') && texts.some((text) => /^--(?:recursive|force)$/.test(text)));
  return hits ? hitCommand('deletes stored objects', command) : undefined;
}

/** Verbs of cloud clients, anywhere among the words before the first option. */
const REMOVING: ReadonlyMap<string, RegExp> = new Map([
  ['aws', /^(?:delete|terminate|deregister|remove|purge|destroy|disable|revoke|schedule-key-deletion)(?:-|$)/],
  ['gcloud', /^delete$/], ['az', /^(?:delete|purge)$/], ['doctl', /^delete$/], ['hcloud', /^delete$/], ['linode-cli', /^delete$/], ['oci', /^(?:delete|terminate)$/], ['flyctl', /^destroy$/], ['fly', /^destroy$/],
  ['heroku', /(?:^|:)destroy$|^pg:reset$/], ['vercel', /^(?:rm|remove)$/], ['netlify', /^(?:sites:delete|delete)$/], ['wrangler', /^delete$/], ['firebase', /:(?:delete|disable)$/], ['supabase', /^(?:delete|reset)$/],
  ['cdk', /^destroy$/], ['sam', /^delete$/], ['serverless', /^remove$/], ['sls', /^remove$/], ['sst', /^remove$/],
  ['gh', /^delete$/], ['glab', /^delete$/], ['hub', /^delete$/], ['vault', /^(?:delete|destroy)$/],
]);

function removes(command: Invocation): Hit | undefined {
  const texts = command.argv.slice(1).map((field) => field.text);
  const verb = REMOVING.get(command.name);
  if (verb === undefined || dry(texts) || texts.includes('--help')) return undefined;
  const until = texts.findIndex((text) => text.startsWith('-'));
  // Behind options in front of the verb, a value of theirs may stand among the words.
  const leading = until === 0 ? texts.filter((text) => !text.startsWith('-')).slice(0, 4) : texts.slice(0, Math.min(4, until === -1 ? texts.length : until));
  const request = command.name === 'gh' && texts[0] === 'api' && /(?:^| )(?:-X|--method)(?: |=)?DELETE\b/i.test(texts.join(' '));
  return request || leading.some((text) => verb.test(text)) ? hitCommand(`removes something for good with ${command.name}`, command) : undefined;
}

export const cloudRules: readonly Rule[] = [
  { key: 'delete in cloud storage', class: 'delete', tier: 'danger', programs: ['aws', 'gsutil', 'rclone', 'mc'], pattern: 'aws s3 rm --recursive, aws s3 sync --delete, gsutil rm, rclone purge', test: storage },
  { key: 'removal of a cloud resource', class: 'delete', tier: 'danger', programs: [...REMOVING.keys()], pattern: 'aws … delete-…, gcloud … delete, az … delete, gh repo delete, cdk destroy', test: removes },
];
