import type { Panel, Preloaded } from './panel.ts'

/** Renders the panels of a column whose guard passes, in order, each with its preloaded data. */
export async function PanelList<Context extends object>({
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
  return await Array.fromAsync(
    [...panels.filter((panel) => !isLate(panel)), ...panels.filter(isLate)],
    async (panel) => {
      const { id, guard, Component, sharesDataOf = id } = panel
      const props = { ...context, preloaded: preloaded[sharesDataOf] }
      return guard && !(await guard(props)) ? null : <Component key={id} {...props} />
    },
  )
}
