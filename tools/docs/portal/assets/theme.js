// Before anything is drawn: the theme that was chosen last.
(() => {
  try {
    const chosen = localStorage.getItem('theme');
    if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
  } catch {
    // No storage here: the system's theme it is.
  }
})();
