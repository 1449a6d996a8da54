/** Disks, partitions and volumes, as far as they are not on the floor. */
import type { Invocation } from '../parse/model.ts';
import { isUnknown } from '../parse/text.ts';
import { isRawDevice } from './paths.ts';
import { type Facts, type Hit, hitCommand, hitField, type Rule, words } from './rule.ts';

function copies(command: Invocation): Hit | undefined {
  const input = command.argv.find((field) => /^if=/.test(field.text) || field.splits);
  return input === undefined ? undefined : hitCommand('copies a disk or file block by block over another', command);
}

/** A wiping program whose target is not known. */
function unknownWipe(command: Invocation): Hit | undefined {
  const target = command.argv.slice(1).find((field) => isUnknown(field.text));
  return target === undefined ? undefined : hitField('wipes something that only the running shell knows', target);
}

/** Words that make a volume program destroy data. */
const DESTRUCTIVE = new Map<string, RegExp>([
  ['parted', /^(?:mklabel|mktable|mkpart|rm|resizepart)$/],
  ['sfdisk', /^--(?:delete|wipe(?:=.*)?)$|^\/dev\//],
  ['cryptsetup', /^(?:luksFormat|erase|luksErase|reencrypt)$/],
  ['hdparm', /^--(?:security-erase|trim-sector|write-sector|repair-sector)/],
  ['nvme', /^(?:format|sanitize)$/],
  ['badblocks', /^-\w*w/],
  ['zpool', /^(?:destroy|labelclear)$/],
  ['zfs', /^(?:destroy|rollback)$/],
  ['mdadm', /^--zero-superblock$/],
  ['btrfs', /^(?:delete)$/],
]);

/** Partition editors write what is typed into them; to list is what they are asked with these. */
function editsPartitions(command: Invocation, { place }: Facts): Hit | undefined {
  if (command.argv.slice(1).some((field) => /^-(?:l|d|s|p|V|h)|^--(?:list|dump|show|help|version|print|json)/.test(field.text))) return undefined;
  const device = command.argv.slice(1).find((field) => isRawDevice(field.text, place, command.directory));
  return device === undefined ? undefined : hitField('changes the partitions of a disk', device);
}

function destroysVolume(command: Invocation): Hit | undefined {
  if (/^(?:pv|vg|lv)remove$/.test(command.name)) return hitCommand('removes a volume', command);
  if (command.name === 'pvcreate') return hitCommand('takes a disk for volumes, whatever is on it', command);
  if (command.name === 'sfdisk' && command.argv.slice(1).some((field) => /^-(?:[dlJFTsVvh]|-(?:dump|list|json|list-free|list-types|show-size|verify|help|version)$)/.test(field.text))) return undefined;
  const word = command.argv.slice(1).find((field) => DESTRUCTIVE.get(command.name)?.test(field.text) === true);
  return word === undefined ? undefined : hitField('destroys what is on a volume', word);
}

export const diskRules: readonly Rule[] = [
  { key: 'disk copy', class: 'disk', tier: 'danger', programs: ['dd', 'gdd', 'dcfldd', 'dc3dd'], pattern: 'dd if=…', test: copies },
  { key: 'wipe of an unknown target', class: 'disk', tier: 'unknown', programs: ['wipefs', 'sgdisk', 'blkdiscard', 'shred', 'mkswap'], pattern: 'wipefs, shred… on $TARGET', test: unknownWipe },
  { key: 'partition table editor', class: 'disk', tier: 'danger', programs: words('fdisk cfdisk gdisk cgdisk'), pattern: 'fdisk, cfdisk, gdisk on a device', test: editsPartitions },
  { key: 'partition or volume change', class: 'disk', tier: 'danger', programs: [...DESTRUCTIVE.keys(), ...words('pvcreate pvremove vgremove lvremove')], pattern: 'parted mklabel, cryptsetup luksFormat, zpool destroy…', test: destroysVolume },
];
