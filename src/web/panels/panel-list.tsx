import type { Panel, Preloaded } from './panel.ts'

/** Renders the panels of a column whose guard passes, in order, each with its preloaded data. */
export function PanelList<Context extends object>({
  panels,
  context,
  preloaded,
}: {
  panels: readonly Panel<Context, unknown>[]
  context: Context
  preloaded: Preloaded
}) {
  const isLate = ({ id, isLastWhenLate }: Panel<Context, unknown>) =>
    isLastWhenLate === true && preloaded[id] === undefined
  return [...panels.filter((panel) => !isLate(panel)), ...panels.filter(isLate)].map((panel) => {
    const { id, guard, Component, sharesDataOf = id } = panel
    const props = { ...context, preloaded: preloaded[sharesDataOf] }
    return guard && !guard(props) ? null : <Component key={id} {...props} />
  })
}
