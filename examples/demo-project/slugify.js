// Makes the last part of an address from a title.
export function slugify(title) {
  return title.toLowerCase().replace(" ", "-");
}
