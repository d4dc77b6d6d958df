// Cells of numbers have data-value; rows below the others stay there.
'use strict';
for (const head of document.querySelectorAll('thead th')) {
  head.tabIndex = 0;
  const sort = () => {
    const body = head.closest('table').tBodies[0], down = head.ariaSort !== 'descending';
    const value = row => {
      const cell = row.cells[head.cellIndex];
      return cell.dataset.value === undefined ? cell.textContent : +cell.dataset.value;
    };
    const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(value(a), value(b)));
    for (const other of head.parentNode.cells) other.ariaSort = null;
    head.ariaSort = down ? 'descending' : 'ascending';
    body.append(...rows);
  };
  head.addEventListener('click', sort);
  head.addEventListener('keydown', event => { if (event.key === 'Enter') sort(); });
}
