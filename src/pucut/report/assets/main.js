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

startMap();
if (stages !== null) startCuts();
startDetail();
startTable();
showTheme();
