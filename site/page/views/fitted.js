// What depends on the room there is, drawn again when the room changes.

/**
 * @template {HTMLElement} T
 * @param {T} box keeps its width whatever is in it
 * @param {(width: number) => Node} draw width in CSS pixels
 * @returns {T}
 */
export function fitted(box, draw) {
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width > 0 && width !== drawn) {
      drawn = width;
      box.replaceChildren(draw(width));
    }
  }).observe(box);
  return box;
}
