package dev.weir.interop;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;

import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.TimeoutException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Debian's Chromium without a window, and the words in which tests of the page speak to it. */
final class Browser implements AutoCloseable {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    /** A busy machine may take long; every wait ends as soon as its condition holds. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Within this time, a page has its scripts. */
    private static final Duration SCRIPTS = Duration.ofSeconds(10);

    private final ChromeDriver driver;
    private final String axe;

    private Browser(ChromeDriver driver, String axe) {
        this.driver = driver;
        this.axe = axe;
    }

    /** Starts it, or skips the calling test with the reason. */
    static Browser start() throws IOException {
        Programs.require("chromium", "chromedriver");
        ChromeOptions options = new ChromeOptions().setBinary(CHROMIUM.toFile());
        // Names other than the loopback's lead nowhere. The sandbox of Chromium needs rights that containers lack.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-networking", "--no-first-run", "--lang=en-US", "--window-size=1280,900",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost");
        LoggingPreferences logging = new LoggingPreferences();
        logging.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logging);
        ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort().build();
        try (InputStream in = Objects.requireNonNull(Browser.class.getResourceAsStream("/axe.min.js"))) {
            return new Browser(new ChromeDriver(service, options),
                    new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    ChromeDriver driver() {
        return driver;
    }

    private WebDriverWait patiently() {
        return new WebDriverWait(driver, PATIENCE, Duration.ofMillis(50));
    }

    /** Goes to an address as a new document, even if only the part behind # differs. */
    void load(String address) {
        driver.get("about:blank");
        driver.get(address);
    }

    /** Goes to the address of a server that may be starting, also for a second time while its scripts load. */
    void loadPatiently(String address) {
        patiently().ignoring(WebDriverException.class).until(_ -> {
            load(address);
            return new WebDriverWait(driver, SCRIPTS)
                    .until(_ -> script("return document.querySelector('main')") != null);
        });
    }

    /** Changes the page by the part of the address behind #, as a link does. */
    void turnTo(String page) {
        script("location.hash = arguments[0]", page);
    }

    /** Waits for an element and returns it. */
    WebElement element(String selector) {
        return patiently().until(ExpectedConditions.visibilityOfElementLocated(By.cssSelector(selector)));
    }

    /** Waits for the button with a text, and presses it. */
    void press(String text) {
        patiently().until(ExpectedConditions.elementToBeClickable(
                By.xpath("//button[normalize-space()='" + text + "']"))).click();
    }

    /** Waits until the visible text has a part. */
    void awaitText(String part) {
        awaitText("#app", part);
    }

    /** Waits until the visible text of an element has a part. */
    void awaitText(String selector, String part) {
        try {
            patiently().until(_ -> text(selector).contains(part));
        } catch (TimeoutException e) {
            throw new AssertionError("no text \"" + part + "\" in " + selector + ":\n" + text("body") + "\n" + log(),
                    e);
        }
    }

    /** Waits until an expression is true. */
    void await(String condition) {
        awaitScript("return !!(" + condition + ")");
    }

    /** Waits until a script, which may return a promise, returns true. */
    void awaitScript(String text) {
        patiently().until(_ -> Boolean.TRUE.equals(script(text)));
    }

    /** Returns the visible text of an element, or an empty one if there is none now. */
    String text(String selector) {
        return String.valueOf(script("const e = document.querySelector(arguments[0]); return e ? e.innerText : ''",
                selector));
    }

    /**
     * Types over the text of a field, as a hand does. A field that was cleared first would get its old text back if the
     * page is drawn between the two, because clearing is no input that the page hears of.
     */
    void fill(String selector, String text) {
        element(selector).sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
    }

    /** Chooses a file in a field. */
    void choose(String selector, Path file) {
        patiently().until(ExpectedConditions.presenceOfElementLocated(By.cssSelector(selector)))
                .sendKeys(file.toAbsolutePath().toString());
    }

    /** Runs a script in the page. */
    @Nullable
    Object script(String text, Object... arguments) {
        return ((JavascriptExecutor) driver).executeScript(text, arguments);
    }

    /** Sets the size of the page, which a window cannot have below some 500 pixels. */
    void resize(int width, int height) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    }

    /** Has the page prefer light or dark colors, as the setting of the system does. */
    void prefer(String theme) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
    }

    /** Has documents that are loaded from now on show the times of a zone. */
    void zone(String zone) {
        driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", zone));
    }

    /** Drops a file on the first place for files, as a hand does. */
    void drop(String name, String text) {
        element(".drop");
        script("""
                const data = new DataTransfer();
                data.items.add(new File([arguments[1]], arguments[0]));
                document.querySelector('.drop').dispatchEvent(
                  new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
                """, name, text);
    }

    /** Sets a field for a time, which has no keys that mean the same in all languages. */
    void set(String selector, String value) {
        element(selector);
        script("""
                const field = document.querySelector(arguments[0]);
                field.value = arguments[1];
                field.dispatchEvent(new Event('input', { bubbles: true }));
                """, selector, value);
    }

    /**
     * Returns the findings of axe-core that last, each with its rule and elements; empty if there is none. Halfway
     * through a transition of colors, text has less contrast.
     */
    List<String> accessibilityFindings() {
        List<String> findings = new ArrayList<>();
        try {
            patiently().until(_ -> {
                findings.clear();
                return !findings.addAll(findingsNow());
            });
        } catch (TimeoutException e) {
            // The findings say more.
        }
        return findings;
    }

    @SuppressWarnings("unchecked")
    private List<String> findingsNow() {
        if (!Boolean.TRUE.equals(script("return !!window.axe"))) {
            script(axe);
        }
        return (List<String>) Objects.requireNonNull(driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run(document, { resultTypes: ['violations'] }).then(
                  found => done(found.violations.map(v => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 5)
                    .map(n => n.html + ' ' + n.any.map(a => a.message).join()).join(' | '))),
                  error => done(['axe failed: ' + error]));
                """));
    }

    /** Returns what the console has got since the last call: violations of the policy, errors, failed loads. */
    List<String> log() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(Object::toString).toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
