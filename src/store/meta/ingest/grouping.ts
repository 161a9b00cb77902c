import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { type RuleError, ruleSentence } from '../../../domain/alerts/rule-text.ts'
import { readFingerprintRules } from '../../../domain/fingerprint-rules.ts'
import { readStackRules } from '../../../domain/stack-rules.ts'
import type { Tables } from '../database/tables.ts'
import type { GroupingSettings, ProjectChange } from '../meta.ts'

type Row = Selectable<Tables['project']>

/** How long hashes of the previous grouping version are also looked up. Later events with them create a new issue. */
export const changeOverMs = 90 * 86_400_000

/** Throws VALIDATION with line and column of the first rule that cannot be parsed. */
function demandReadable(field: string, errors: readonly RuleError[]): void {
  const [first] = errors
  if (!first) return
  const sentences = errors.slice(0, 20).map(ruleSentence)
  throw new MishapError('VALIDATION', { detail: ruleSentence(first), fields: { [field]: sentences } })
}

/** Returns the columns of a change. Throws VALIDATION with fields `fingerprintRules` and `stackRules`. */
export function groupingColumns(old: Row, change: ProjectChange, nowMs: number) {
  const { fingerprintRules, stackRules, groupingVersion = old.grouping_version } = change
  if (fingerprintRules !== undefined) demandReadable('fingerprintRules', readFingerprintRules(fingerprintRules).errors)
  if (stackRules !== undefined) demandReadable('stackRules', readStackRules(stackRules).errors)
  const isOther = groupingVersion !== old.grouping_version
  return {
    fingerprint_rules: fingerprintRules ?? old.fingerprint_rules,
    stack_rules: stackRules ?? old.stack_rules,
    grouping_version: groupingVersion,
    grouping_secondary: isOther ? old.grouping_version : old.grouping_secondary,
    grouping_until_ms: isOther ? nowMs + changeOverMs : old.grouping_until_ms,
  }
}

/** Settings for refine; absent for version 1 without rules. The previous version is included during a changeover. */
export function groupingOf(row: Row, nowMs: number): { grouping?: GroupingSettings } {
  const { fingerprint_rules: fingerprintRules, stack_rules: stackRules, grouping_version: version } = row
  const { grouping_secondary: secondary, grouping_until_ms: untilMs } = row
  const isOpen = secondary !== null && untilMs !== null && untilMs > nowMs
  if (fingerprintRules === '' && stackRules === '' && version === 1 && !isOpen) return {}
  return { grouping: { fingerprintRules, stackRules, version, ...(isOpen ? { secondary } : {}) } }
}
