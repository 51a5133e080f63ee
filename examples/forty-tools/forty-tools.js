// Forty deferred tools of a project tracker. The model sees their names; what they take comes when it asks.
//
//   bub --plugin examples/forty-tools/forty-tools.js run "which tickets are overdue?"
import { definePlugin, defineTool } from "bub";

const text = (description, more = {}) => ({ type: "string", description, ...more });
const list = (description) => ({ type: "array", items: { type: "string" }, description });
const date = (description) => text(`${description}, as an ISO date such as 2026-11-30`, { format: "date" });
const count = (description, most) => ({ type: "integer", minimum: 1, maximum: most, description });

/** What the tracker keeps, and the fields of each. */
const records = {
  ticket: {
    title: text("One line that says what is wrong or wanted, without the component's name"),
    body: text("Markdown: what happens, what should happen, how to see it; quote logs in code fences"),
    priority: text("How soon somebody has to look at it", { enum: ["low", "normal", "high", "urgent"] }),
    labels: list("Names of existing labels; unknown ones are refused, create them first"),
    assignee: text("Account name of whoever works on it; leave out to let the rota decide"),
    due: date("The day by which it has to be done"),
  },
  project: {
    title: text("The project's name as it stands on the board, unique in its workspace"),
    goal: text("One paragraph: what is true when the project is over and not before"),
    lead: text("Account name of whoever answers for it; must be a member of one of the teams"),
    teams: list("Names of the teams that work on it, the one with the most work first"),
    starts: date("The day on which work begins"),
    ends: date("The day on which it has to be over; later than the start"),
  },
  milestone: {
    title: text("What is reached, in the words that the customer would use for it"),
    project: text("Id of the project that it belongs to; it cannot move to another one later"),
    due: date("The day on which it has to be reached, within the project's own dates"),
    criteria: list("Sentences that are true or false; all have to be true for the milestone to count"),
    risk: text("How likely it is to be missed as things stand", { enum: ["on track", "at risk", "off track"] }),
    owner: text("Account name of whoever reports on it each week"),
  },
  release: {
    version: text("The version as it is published, without a leading v", { pattern: "^\\d+\\.\\d+\\.\\d+" }),
    notes: text("Markdown for readers of the release: what is new, what changed, what breaks"),
    tickets: list("Ids of the tickets that are in it; each must be closed before it can be published"),
    channel: text("Who gets it", { enum: ["nightly", "beta", "stable"] }),
    publish: date("The day on which it goes out; empty while it is only planned"),
    manager: text("Account name of whoever decides whether it goes out"),
  },
  comment: {
    target: text("Id of the ticket, project, milestone or release that it stands under"),
    body: text("Markdown; @name tells that person, #id links to a record; at most ten thousand characters"),
    visibility: text("Who may read it", { enum: ["team", "workspace", "customer"] }),
    reply_to: text("Id of the comment that it answers; leave out for a new thread"),
    mentions: list("Account names to tell beside those that the body mentions"),
    remind: date("The day on which its author is reminded of it, if nobody has answered"),
  },
  report: {
    title: text("What the report answers, as a question"),
    query: text("Filter in the tracker's language, for example status:open label:bug updated<2026-11-01"),
    group_by: text("The field whose values become rows", {
      enum: ["assignee", "label", "project", "priority", "week"],
    }),
    measure: text("What is counted in each row", { enum: ["tickets", "points", "days open", "days to close"] }),
    share_with: list("Names of teams that see it on their board"),
    refresh: text("How often it is made anew", { enum: ["hourly", "daily", "weekly"] }),
  },
  sprint: {
    title: text("Its name, usually the team's with a running number"),
    team: text("Name of the team whose sprint it is; a team has one running sprint at most"),
    goal: text("One sentence that says what the sprint is for; shown above the board all the time"),
    starts: date("Its first day"),
    capacity: count("Points that the team expects to finish, holidays taken off already", 500),
    tickets: list("Ids of the tickets that are planned into it, in the order of their importance"),
  },
  automation: {
    title: text("What it does, for the list of automations, in one line"),
    trigger: text("The event that starts it", { enum: ["created", "updated", "closed", "overdue", "commented"] }),
    condition: text("Filter in the tracker's language that the record has to match; empty matches everything"),
    actions: list("What is done, in order: set field=value, add label, notify name, or post to a channel"),
    owner: text("Account name that the actions are done as; its rights limit what they can do"),
    limit: count("Runs in an hour, after which it is paused and its owner is told", 1000),
  },
};

const id = (record) => text(`The ${record}'s id as lists and links show it, for example ${record.slice(0, 3)}-1042`);

/** Every change can be tried first, and be repeated without harm. */
const ofChanges = {
  dry_run: { type: "boolean", description: "Check everything and say what would change, but change nothing" },
  request_key: text(
    "Any text of your own; a second call with the same one does nothing and gives the first one's answer",
  ),
  notify: text("Who is told about it", { enum: ["nobody", "watchers", "team", "workspace"] }),
};

/** Every search can be narrowed, ordered and read page by page. */
const ofSearches = {
  archived: { type: "boolean", description: "Also look at what was put away; left out of all lists otherwise" },
  order_by: text("What comes first; equal ones by their id", { enum: ["created", "updated", "due", "title"] }),
  cursor: text("Where the page before ended, as its answer says; leave out for the first page"),
};

/** What can be done with each record: a sentence, and the parameters that it takes. */
const verbs = {
  create: (record, fields) => ({
    says: `Create a ${record} and return its id. Fields that are left out get the workspace's defaults.`,
    properties: { ...fields, ...ofChanges },
    required: Object.keys(fields).slice(0, 2),
  }),
  update: (record, fields) => ({
    says: `Change fields of a ${record}; those that are left out stay as they are. Returns the ${record} as it is then.`,
    properties: { id: id(record), ...fields, ...ofChanges },
    required: ["id"],
  }),
  find: (record, fields) => ({
    says: `Find ${record} records whose fields match all that is given. Text matches anywhere and in any case.`,
    properties: { ...fields, ...ofSearches, limit: count("Most records to return, newest first", 200) },
    required: [],
  }),
  archive: (record, fields) => ({
    says: `Put ${record} records away. They stay readable and can come back; automations no longer see them.`,
    properties: {
      id: id(record),
      reason: text("Why, for the record's history"),
      matching: { type: "object", properties: fields },
      ...ofChanges,
    },
    required: ["reason"],
  }),
  history: (record, fields) => ({
    says: `List who changed what of a ${record} and when, newest first, with the values before and after.`,
    properties: {
      id: id(record),
      fields: {
        type: "array",
        items: { type: "string", enum: Object.keys(fields) },
        description: "Only changes of these",
      },
      since: date("Only changes from this day on"),
      until: date("Only changes up to and on this day"),
      by: list("Account names; only changes that one of them made, automations included"),
      format: text("How values are shown", { enum: ["plain", "markdown", "json"] }),
      limit: count("Most changes to return; ask again with an earlier until for those before", 500),
      with_comments: {
        type: "boolean",
        description: "Also list the comments that were written meanwhile, in their place",
      },
      with_automations: { type: "boolean", description: "Also list what automations did because of each change" },
    },
    required: ["id"],
  }),
};

/** @param options.deferred false puts every definition into every request, for comparison */
export function fortyTools({ deferred = true } = {}) {
  return Object.entries(records).flatMap(([record, fields]) =>
    Object.entries(verbs).map(([verb, make]) => {
      const { says, properties, required } = make(record, fields);
      return defineTool({
        name: `tracker.${record}.${verb}`,
        description: says,
        deferred,
        input: { type: "object", properties, required },
        run: (args) => ({ done: `${verb} ${record}`, args }),
      });
    }),
  );
}

export default definePlugin({ name: "forty-tools", provideTools: () => fortyTools() });
