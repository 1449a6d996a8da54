/** Shared with screens as it is: it brings no schema along. */
import type { FindingClass } from './approvals.ts';

/**
 * What smart mode's reviewing model may let pass by itself; everything else goes to the person, whatever that model says. A delete is among them
 * only where every path is known and lies below the directory the command runs in. Nothing passes with raised rights.
 */
export const SMART_CLASSES: readonly FindingClass[] = ['delete', 'processes', 'containers', 'packages', 'interpreter'];
