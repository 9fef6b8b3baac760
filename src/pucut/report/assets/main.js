// The theme, and the start of all parts.

const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : systemIsDark.matches;
}

function showTheme() {
  byId("theme").setAttribute("aria-pressed", String(isDark()));
  tell("theme");
}

byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
systemIsDark.addEventListener("change", showTheme);

if (plane !== null) startMap(byId("map"), (row) => rows.is_positive[row] === 1, () => false);
if (stages !== null) startCuts();
startDetail();
startTable();
showTheme();
