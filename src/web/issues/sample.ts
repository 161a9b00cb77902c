import type { RestEvent, RestFrame, RestIssue } from '../../protocol/rest.ts'

/** A frame for tests, empty but for what is given. */
export function sampleFrame(value: Partial<RestFrame> = {}): RestFrame {
  return {
    filename: null,
    absPath: null,
    module: null,
    function: null,
    rawFunction: null,
    lineNo: null,
    colNo: null,
    context: [],
    inApp: false,
    vars: null,
    package: null,
    platform: null,
    instructionAddr: null,
    data: null,
    ...value,
  }
}

/** An issue for tests. */
export function sampleIssue(value: Partial<RestIssue> = {}): RestIssue {
  const seen = { firstSeen: '2026-11-20T00:00:00Z', lastSeen: '2026-11-21T00:00:00Z' }
  return {
    id: '1',
    shortId: 'WEB-1',
    title: 'TypeError: x',
    culprit: 'cart.ts in total',
    permalink: 'http://localhost:9000/i/WEB-1',
    level: 'error',
    status: 'unresolved',
    substatus: 'new',
    statusDetails: {},
    platform: 'javascript',
    project: { id: '1', slug: 'web', name: 'web', platform: null },
    type: 'error',
    metadata: { type: 'TypeError', value: 'x' },
    issueType: 'error',
    issueCategory: 'error',
    priority: 'high',
    assignedTo: null,
    isUnhandled: false,
    isBookmarked: false,
    hasSeen: false,
    revision: 0,
    count: '5',
    userCount: 1,
    ...seen,
    stats: {
      range: [
        [0, 1],
        [3600, 4],
      ],
    },
    logger: null,
    numComments: 0,
    lifetime: { count: '9', userCount: 1, ...seen },
    firstRelease: null,
    lastRelease: null,
    ...value,
  }
}

/** An event for tests, empty but for what is given. */
export function sampleEvent(value: Partial<RestEvent> = {}): RestEvent {
  return {
    id: '1',
    eventID: '9ec79c33ec9942ab8353589fcb2e04dc',
    groupID: '1',
    projectID: '1',
    title: 'TypeError: x',
    message: '',
    culprit: '',
    location: null,
    platform: 'javascript',
    type: 'error',
    metadata: {},
    dateCreated: '2026-11-21T00:00:00Z',
    dateReceived: '2026-11-21T00:00:00Z',
    size: 0,
    dist: null,
    release: null,
    environment: null,
    user: null,
    tags: [],
    contexts: {},
    context: {},
    packages: {},
    sdk: null,
    errors: [],
    fingerprints: [],
    groupingConfig: { id: 'x' },
    entries: [],
    nextEventID: null,
    previousEventID: null,
    userReport: null,
    occurrence: null,
    _meta: {},
    number: 1,
    total: 1,
    traceId: null,
    spanId: null,
    replayId: null,
    digest: null,
    dateMapped: null,
    isUnhandled: false,
    attachments: [],
    grouping: { version: 1, variants: [] },
    ...value,
  }
}
