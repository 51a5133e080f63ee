// Addresses for the eyes of people: without what may open something.

/** The address without a user, a password or a query, any of which may be a key. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1***@").replace(/\?[^#]+/, "?***");
}
