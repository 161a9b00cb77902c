import type { DoctorFinding, DoctorStepName, DoctorWeight } from './doctor.ts'
import { type Command, commandOf, type DoctorPlace } from './doctor-commands.ts'

type Entry = {
  step: DoctorStepName
  weight: DoctorWeight
  /** The fault in one sentence with `{values}`. The English catalogue of the screens has the same text. */
  message: string
  /** The remedy. */
  mend: string
  command: Command | null
}

/** All possible findings between a frame and its source. Codes are stable. */
export const doctorFindings = {
  no_line: {
    step: 'address',
    weight: 'note',
    command: null,
    message: 'The SDK sent no line for this frame, so there is no place to map.',
    mend: 'Nothing can be done for this frame: the browser did not say where it was.',
  },
  no_column: {
    step: 'address',
    weight: 'wrong',
    command: null,
    message: 'The frame in {url} has a line but no column, and a place in a minified file needs both.',
    mend: 'Update the SDK, and look whether something of your own cuts the column off the stack.',
  },
  not_injected: {
    step: 'debug_id',
    weight: 'wrong',
    command: 'inject',
    message:
      'The event has neither a debug id for {url} nor a release, and no file that was uploaded without a release has this address.',
    mend: 'Inject debug ids before you deploy, upload, and deploy the very files that were injected.',
  },
  sdk_old: {
    step: 'debug_id',
    weight: 'wrong',
    command: null,
    message:
      'The SDK {sdk} sends no debug ids (7.47.0 is the first that does), but the files uploaded at {when} have them.',
    mend: 'Update the SDK, or set release in its init and upload with --release.',
  },
  debug_id_missing: {
    step: 'debug_id',
    weight: 'wrong',
    command: 'inject',
    message:
      'The event has no debug id for {url}, but the files uploaded at {when} have them: the deployed file was not injected, or is not of that build.',
    mend: 'Inject before you copy the build to where it is served, then deploy those very files.',
  },
  no_release: {
    step: 'debug_id',
    weight: 'wrong',
    command: 'inject',
    message: 'The event names no release and has no debug id, but {found} was uploaded for the release {release}.',
    mend: 'Set release in the init of the SDK to the name that you upload with, or inject debug ids.',
  },
  by_address: {
    step: 'debug_id',
    weight: 'note',
    command: 'upload',
    message:
      'The deployed {url} has the debug id {debugId}, but the uploaded {found} has none: it is not the deployed file itself, so places may be off.',
    mend: 'Upload after you inject.',
  },
  no_uploads: {
    step: 'bundle',
    weight: 'wrong',
    command: 'inject',
    message: 'The project {project} has no uploaded files.',
    mend: 'Upload what the build made, before you deploy it.',
  },
  other_project: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'The project {project} has no file that this event asks for, but the project {other} has one.',
    mend: 'If it is the same application, name {project} at the upload (--project or SENTRY_PROJECT); a build of both may name both.',
  },
  debug_id_differs: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message:
      'The deployed {url} has the debug id {debugId}, but the file uploaded for this address at {when} has {foundId}: it is of another build.',
    mend: 'Upload the files of the build that is deployed. If you did, something built again between upload and deploy.',
  },
  debug_id_unknown: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'No upload has the debug id {debugId} of {url}; the newest upload came at {when}.',
    mend: 'Upload the files of the build that is deployed. If you did, something built again between upload and deploy.',
  },
  release_differs: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'There are no files for the release {release} of the event; {found} was uploaded for {foundRelease}.',
    mend: 'Upload the build of {release}. If {foundRelease} is the same build, give the SDK and the upload the same release, letter for letter.',
  },
  dist_differs: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message:
      'The event says release {release}, dist {dist}, but {found} was uploaded for dist {foundDist} of this release.',
    mend: 'Give the SDK and the upload the same dist; none is a dist of its own.',
  },
  release_unknown: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'There are no files for release {release}, dist {dist}.',
    mend: 'Upload what the build of this release made. If you did, look whether the upload names another release or dist.',
  },
  aged_out: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message:
      'Release {release} is older than {days} days and has no files: it had none, or no event used them for that long and they were removed.',
    mend: 'Upload its build again if people still use it.',
  },
  unfindable: {
    step: 'bundle',
    weight: 'wrong',
    command: 'inject',
    message:
      'Only events without a release find the uploaded {found}: it has no debug id, and its bundle names no release.',
    mend: 'Inject debug ids before the upload, or upload with --release.',
  },
  build_differs: {
    step: 'file',
    weight: 'wrong',
    command: 'upload',
    message:
      'Nothing was uploaded for {url}, but {found} was: only a part of the name differs, as the hash of a build does.',
    mend: 'If it is the same file, upload from the build that is deployed, and do not build again between upload and deploy.',
  },
  url_differs: {
    step: 'file',
    weight: 'wrong',
    command: 'prefix',
    message:
      'The event asks for {url}, for which nothing was uploaded; the nearest uploaded file of this release is {found}.',
    mend: 'If it is the same file, upload it under the address that browsers load it from, or inject debug ids, which need none.',
  },
  file_missing: {
    step: 'file',
    weight: 'wrong',
    command: 'upload',
    message: 'Files were uploaded for release {release}, but none for {url}.',
    mend: 'Look whether the upload takes the folder that this file lies in, and which address it gives its files.',
  },
  in_page: {
    step: 'file',
    weight: 'note',
    command: null,
    message: 'Nothing was uploaded for {url}, which looks like a page: a script within HTML has no source map.',
    mend: 'Nothing is to be mended for a page. A script that has such an address needs an upload under it.',
  },
  third_party: {
    step: 'file',
    weight: 'note',
    command: null,
    message:
      '{url} comes from another host than the files of this event that were uploaded, and nothing like it was uploaded.',
    mend: 'Nothing is to be mended where it is a script of somebody else.',
  },
  file_gone: {
    step: 'file',
    weight: 'wrong',
    command: 'upload',
    message: 'The uploaded {found} can’t be read from the store.',
    mend: 'Upload it again; mishap verify says what else is missing.',
  },
  map_missing: {
    step: 'map',
    weight: 'wrong',
    command: 'upload',
    message: 'The uploaded {found} names the map {map}, but nothing was uploaded at that address for it.',
    mend: 'Upload the folder with its .map files, before anything deletes them.',
  },
  map_unnamed: {
    step: 'map',
    weight: 'wrong',
    command: 'inject',
    message: 'The uploaded {found} names no source map, and none was uploaded with its debug id.',
    mend: 'Let the bundler make source maps (sourcemap: true or hidden; devtool: source-map), then inject and upload.',
  },
  map_broken: {
    step: 'map',
    weight: 'wrong',
    command: 'upload',
    message: 'The map {map} is no valid source map.',
    mend: 'Look at the file: often it is an error page or cut off. Build again and upload.',
  },
  map_inline_broken: {
    step: 'map',
    weight: 'wrong',
    command: 'upload',
    message: 'The map inside of {found} (a data: URL) is no valid source map.',
    mend: 'Let the bundler write the map to a file of its own, then upload both.',
  },
  map_large: {
    step: 'map',
    weight: 'wrong',
    command: null,
    message: 'The map of {found} is too large: over 128 MiB, or over 160 MiB once read.',
    mend: 'Split the bundle into chunks, each with a map of its own.',
  },
  map_slow: {
    step: 'map',
    weight: 'wrong',
    command: null,
    message: 'Reading the map of {found} took longer than 15 s and was given up.',
    mend: 'Split the bundle into chunks, or give this machine more time; it is tried again after 10 minutes.',
  },
  map_pending: {
    step: 'map',
    weight: 'note',
    command: null,
    message: 'The map of {found} is still being read.',
    mend: 'Ask again in some seconds.',
  },
  position_beyond: {
    step: 'column',
    weight: 'wrong',
    command: 'upload',
    message:
      'The event points at line {line}, column {column} of {url}, but the uploaded file ends before: it is not the file that was loaded.',
    mend: 'Upload the very file that is served: let nothing (a proxy, a minifier, a banner) change it after the build.',
  },
  position_unmapped: {
    step: 'column',
    weight: 'wrong',
    command: 'inject',
    message:
      'The map of {found} says nothing about line {line}, column {column}: it is of another build, the file was changed after it, or a tool made this place.',
    mend: 'Make the map in the last step that changes the file, or chain the maps of the steps.',
  },
  source_missing: {
    step: 'source',
    weight: 'wrong',
    command: 'upload',
    message:
      'The frame is mapped to {source}, but the map has no text of it (sourcesContent), and none was uploaded with it.',
    mend: 'Let the bundler write sourcesContent, or upload from where the sources lie: sentry-cli puts them in.',
  },
  source_differs: {
    step: 'source',
    weight: 'wrong',
    command: 'upload',
    message: 'The frame is mapped to line {line} of {source}, but the text of it that was uploaded ends before.',
    mend: 'Build and upload from the same state of the sources.',
  },
  came_later: {
    step: 'bundle',
    weight: 'note',
    command: null,
    message: 'The files are here now: they came at {when}, after the event.',
    mend: 'Nothing is to be done: events of the last 30 days are mapped again, within a minute or so. Upload before you deploy, then the first ones are readable at once.',
  },
  read_later: {
    step: 'map',
    weight: 'note',
    command: null,
    message: 'The map can be used now; when the event came, it could not ({reason}).',
    mend: 'Nothing is to be done: later events are mapped.',
  },
} as const satisfies Record<string, Entry>

export type DoctorCode = keyof typeof doctorFindings

const valueMax = 300
/** Replaces line ends, control characters and bidirectional marks in displayed names. */
const plain = (text: string): string => {
  const clean = text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu, '\ufffd')
  return clean.length <= valueMax ? clean : `${clean.slice(0, valueMax - 1).toWellFormed()}…`
}

/** Fills the `{values}` of a sentence. A missing value stays as its placeholder, which a test detects. */
const fillSentence = (text: string, data: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => data[name] ?? whole)

/**
 * Builds a finding with its sentences and command. `place` is the upload target of the command. `data` has the
 * unescaped, hostile values of the sentences.
 */
export function findingOf(
  code: DoctorCode,
  given: Readonly<Record<string, string>>,
  place: DoctorPlace,
  weight?: DoctorWeight,
): DoctorFinding {
  const entry: Entry = doctorFindings[code]
  const data = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, plain(value)]))
  return {
    code,
    step: entry.step,
    weight: weight ?? entry.weight,
    data,
    message: fillSentence(entry.message, data),
    mend: fillSentence(entry.mend, data),
    command: entry.command && commandOf(entry.command, place, given),
  }
}
