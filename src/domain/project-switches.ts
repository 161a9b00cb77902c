/**
 * Switches of a project, by the name that REST, the form and the texts have for them. Each is off until a person turns it
 * on, and kept as JSON beside the others, so that a new switch needs no column.
 */
export const projectSwitches = ['showInternalFrames'] as const

type ProjectSwitch = (typeof projectSwitches)[number]
export type ProjectSwitches = Readonly<Record<ProjectSwitch, boolean>>

/** The value of each switch by its name. */
export const eachSwitch = <Value>(make: (name: ProjectSwitch) => Value): Record<ProjectSwitch, Value> =>
  Object.fromEntries(projectSwitches.map((name) => [name, make(name)])) as Record<ProjectSwitch, Value>
