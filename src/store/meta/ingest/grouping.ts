import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { readFingerprintRules } from '../../../domain/fingerprint-rules.ts'
import { type RuleError, ruleSentence } from '../../../domain/rule-text.ts'
import { readStackRules } from '../../../domain/stack-rules.ts'
import type { Tables } from '../database/tables.ts'
import type { GroupingSettings, ProjectChange } from '../meta.ts'

type Row = Selectable<Tables['project']>

/** How long hashes of the version before are looked up, too: what comes less often begins a new issue. */
export const changeOverMs = 90 * 86_400_000

/** Throws VALIDATION that names the first line and column where rules cannot be read. */
function demandReadable(field: string, errors: readonly RuleError[]): void {
  const [first] = errors
  if (!first) return
  const sentences = errors.slice(0, 20).map(ruleSentence)
  throw new MishapError('VALIDATION', { detail: ruleSentence(first), fields: { [field]: sentences } })
}

/** The columns of a change. Throws VALIDATION with fields `fingerprintRules` and `stackRules`. */
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

/** What refine has to know, absent for version 1 without rules; the version before only while the project changes over. */
export function groupingOf(row: Row, nowMs: number): { grouping?: GroupingSettings } {
  const { fingerprint_rules: fingerprintRules, stack_rules: stackRules, grouping_version: version } = row
  const { grouping_secondary: secondary, grouping_until_ms: untilMs } = row
  const isOpen = secondary !== null && untilMs !== null && untilMs > nowMs
  if (fingerprintRules === '' && stackRules === '' && version === 1 && !isOpen) return {}
  return { grouping: { fingerprintRules, stackRules, version, ...(isOpen ? { secondary } : {}) } }
}
