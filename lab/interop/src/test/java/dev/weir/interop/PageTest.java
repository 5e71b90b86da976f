package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chromium.ChromiumNetworkConditions;
import org.openqa.selenium.interactions.Actions;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The page in Debian's Chromium, with a real storage behind it that clients ask all the time. */
@Timeout(600)
class PageTest extends PageFixture {
    private static final Pattern UNDO = Pattern.compile("undo-[0-9TZ]+-[0-9a-f]{4}");

    private static final String HAS_WORDS = "fetch('/api/find?q=words@example.org').then(r => r.json())"
            + ".then(found => !!found.hashes[0].sample)";

    PageTest() {
        super(PageServer.HOSTILE_NAME, "UTC");
    }

    @Test
    void eachPageShowsTheStorageUnderLoad() {
        browser.awaitText("main", "Healthy");
        browser.await("[...document.querySelectorAll('.tile')].some(t => t.innerText.startsWith('Checks a second')"
                + " && parseInt(t.querySelector('b').innerText) > 0)");
        browser.await("document.querySelectorAll('.chart canvas').length === 4");
        browser.awaitText("main", "127.0.0.1");
        tour.turnTo("campaigns");
        browser.await("document.querySelectorAll('tbody tr').length > 5");
        assertThat(browser.element("tbody svg.spark path").getAttribute("d")).startsWith("M");
        tour.turnTo("access");
        browser.awaitText("main", "127.0.0.1");
        browser.press("Check now");
        browser.awaitText("section.ready", "✓ Everything is ready");
        browser.awaitText("main", "weir.conf:");
        for (String page : PageTour.PAGES) {
            tour.turnTo(page);
            assertThat(browser.element("h1").isDisplayed()).isTrue();
        }
        Object elsewhere = browser.script("return performance.getEntriesByType('resource').map(e => e.name)"
                + ".filter(name => !name.startsWith(location.origin)).length");
        assertThat(elsewhere).as("requests to other servers").isEqualTo(0L);
    }

    @Test
    void aMailIsLearnedExplainedUndoneAndForgotten() throws Exception {
        Path mail = mail("story.eml", "a story", "story@example.org",
                "the quick brown fox told every lazy dog about its journey over seven hills and far away");
        assertThat(tour.explain(mail)).contains("No match");
        tour.learn(mail, "11");
        assertThat(tour.explain(mail)).contains("LOCAL_DENIED: flag 11, the same digest", "value 10",
                "story@example.org");
        browser.awaitText("[data-part=action]", "reject from ");
        assertThat(server.rspamc("-P", PageServer.READ, mail.toString()).succeeded().out()).contains("LOCAL_DENIED (");
        tour.turnTo("undo");
        browser.fill("input[name=mail]", "story@example.org");
        tour.rehearse("1 flag removed");
        assertThat(tour.explain(mail)).as("a rehearsal changes nothing").contains("LOCAL_DENIED: flag 11");
        tour.turnTo("undo");
        browser.fill("input[name=mail]", "story@example.org");
        browser.press("Rehearse");
        browser.press("Undo it");
        browser.awaitText("[data-result=done]", "It is in the audit trail as undo-");
        Matcher id = UNDO.matcher(browser.text("[data-result=done]"));
        assertThat(id.find()).isTrue();
        assertThat(tour.explain(mail)).contains("No match");
        assertThat(server.rspamc("-P", PageServer.READ, mail.toString()).succeeded().out())
                .doesNotContain("LOCAL_DENIED (");
        tour.turnTo("undo");
        browser.fill("input[name=mail]", id.group());
        browser.press("Rehearse");
        browser.press("Undo it");
        browser.element("[data-result=done]");
        assertThat(tour.explain(mail)).as("the undo is undone").contains("LOCAL_DENIED: flag 11");
    }

    @Test
    void aNearDuplicateIsExplainedShingleByShingleAndCompared() {
        tour.learn(mails.campaign(), "11");
        String why = tour.explain(mails.modified());
        assertThat(why).contains("% of the shingles", "weight 10");
        int equal = browser.driver().findElements(By.cssSelector(".slots i.on")).size();
        assertThat(equal).isBetween(17, 32);
        assertThat(browser.text("[data-part=needed]"))
                .isEqualTo(equal + " of 32 shingles are equal; a match by txt needs 17.");
        browser.choose("[data-part=compare] input[type=file]", mails.unrelated());
        browser.awaitText("[data-part=compare]", "would not be found");
        assertThat(browser.text("[data-part=compare]")).contains("Side by side under rule local",
                "REQUEST FOR MUTUALLY BENEFITTING ENDEAVOUR.", "find the biggest file");
        assertThat(browser.driver().findElements(By.cssSelector("[data-part=compare] mark"))).isNotEmpty();
    }

    @Test
    void anEntryOfTheSkipListIsAddedEditedAndRemoved() throws Exception {
        Path mail = mail("footer.eml", "footer", "footer@example.org",
                "this footer of a mailing list stands under every mail and nobody should ever learn it as spam again");
        tour.learn(mail, "11");
        assertThat(tour.explain(mail)).contains("With this hash on the skip list the mail would score 0.00");
        browser.driver().findElement(By.linkText("Put it on the skip list")).click();
        browser.fill("input[name=reason]", "a footer");
        browser.fill("input[name=days]", "3");
        browser.press("Add");
        browser.awaitText("main", "a footer");
        browser.awaitText("main", "until");
        assertThat(tour.explain(mail)).contains("No match");
        tour.turnTo("access");
        browser.press("Edit");
        browser.await("document.querySelector('input[name=reason]').value === 'a footer'");
        browser.fill("input[name=reason]", "the footer of the list");
        browser.press("Save");
        browser.awaitText("main", "the footer of the list");
        browser.press("Remove");
        browser.await("!document.querySelector('main').innerText.includes('the footer of the list')");
        assertThat(tour.explain(mail)).contains("LOCAL_DENIED: flag 11");
    }

    @Test
    void aDynamicKeyIsAddedChangedAndRemoved() throws Exception {
        tour.turnTo("access");
        browser.awaitText("[data-part=keys]", "No dynamic key yet.");
        browser.fill("[data-part=keys] input[name=name]", "<b id=evil>customer</b>");
        browser.press("Add key");
        browser.awaitText("[data-part=keys]", "this is the encryption_key of its clients");
        String key = browser.text("[data-part=keys] tbody code");
        assertThat(key).hasSize(52);
        server.ping(key).succeeded();
        String secret = JsonMapper.shared().readTree(Files.readString(server.keys())).path(0).path("keypair")
                .path("privkey").asString("");
        assertThat(secret).hasSize(52);
        browser.press("Edit key");
        browser.fill("[data-part=keys] input[name=burst]", "50");
        browser.press("Save key");
        browser.awaitText("[data-part=keys] [role=alert]", "burst and rate belong together");
        browser.fill("[data-part=keys] input[name=rate]", "2.5");
        browser.element("[data-part=keys] input[value=write]").click();
        browser.press("Save key");
        browser.awaitText("[data-part=keys]", "Changed " + key);
        browser.awaitText("[data-part=keys] tbody", "50 at once, 2.5 a second");
        browser.awaitText("[data-part=keys] tbody", "read, write");
        assertThat(server.keys("list").succeeded().out()).contains(key, "read,write", "50 at once", "customer");
        Path obstacle = Files.createDirectories(Path.of(server.keys() + ".new").resolve("in the way"));
        browser.press("Remove key");
        browser.press("Remove for good");
        browser.awaitText("[data-part=keys] [role=alert]", "keys cannot be written: ");
        Files.delete(obstacle);
        server.ping(key).succeeded();
        assertThat(String.valueOf(browser.script("return document.documentElement.outerHTML"))).doesNotContain(secret);
        tour.signOut();
        tour.signIn(PageServer.READ);
        browser.awaitText("[data-part=keys]", key);
        assertThat(browser.driver().findElements(By.cssSelector("[data-part=keys] form, [data-part=keys] button")))
                .isEmpty();
        Object refused = browser.script("return fetch('/api/key?remove=1&key=" + key
                + "', { method: 'POST' }).then(r => r.status)");
        assertThat(refused).isIn(401L, 403L);
        tour.signOut();
        tour.signIn(PageServer.CHANGE);
        browser.press("Remove key");
        browser.awaitText("[data-part=keys]", "the secret cannot be restored");
        // Another administrator is faster, and the page has not asked again since.
        browser.script("return fetch('/api/session').then(r => r.json()).then(s => fetch('/api/key?remove=1&key=" + key
                + "', { method: 'POST', headers: { 'X-Weir-Token': s.token } })).then(() =>"
                + " [...document.querySelectorAll('button')].find(b => b.innerText === 'Remove for good').click())");
        browser.awaitText("[data-part=keys]", "someone may have removed it already");
        browser.awaitText("[data-part=keys]", "No dynamic key yet.");
        assertThat(server.ping(key).exit()).as("the key is gone").isEqualTo(5);
    }

    @Test
    void wordsOfAMailAreShownOnlyWhileTheOperatorKeepsThem() throws Exception {
        Path mail = mail("words.eml", "an offer", "words@example.org",
                "seven shiny watches wait for you in our little shop beside the harbor until the end of the month");
        tour.learn(mail, "11");
        assertThat(hasWords()).as("off by default").isFalse();
        server.keepWords("1d");
        tour.explain(mail);
        assertThat(hasWords()).as("a mail that is only explained leaves nothing behind").isFalse();
        server.rspamc("-P", PageServer.READ, mail.toString()).succeeded();
        browser.awaitScript("return " + HAS_WORDS);
        tour.turnTo("now");
        tour.explain(mail);
        browser.awaitText(".sample", "an offer seven shiny watches wait for you");
        server.keepWords("0");
        assertThat(hasWords()).isFalse();
    }

    private boolean hasWords() {
        return Boolean.TRUE.equals(browser.script("return " + HAS_WORDS));
    }

    @Test
    void aFollowerIsShownWithItsLag() throws Exception {
        browser.awaitText("[aria-label=Nodes]", "This node leads");
        browser.awaitText("[aria-label=Nodes]", "standby");
        browser.awaitText("[aria-label=Nodes]", "not since the start");
        try (WeirHttp follower = server.follower()) {
            browser.awaitText("[aria-label=Nodes]", "● follows");
            browser.awaitText("[aria-label=Nodes]", "s ago");
            String own = browser.driver().getWindowHandle();
            browser.driver().switchTo().newWindow(WindowType.TAB);
            try {
                browser.loadPatiently("http://127.0.0.1:" + follower.port() + "/");
                browser.awaitText("[aria-label=Nodes]", "This node follows");
                browser.awaitText("[aria-label=Nodes]", "updates behind, 0 s");
            } finally {
                browser.driver().close();
                browser.driver().switchTo().window(own);
            }
        }
        // A follower starts again after its first copy, so its page may have found it away.
        browser.log();
    }

    @Test
    void aSlowLineAndALargeScreenAreEnough() {
        ChromiumNetworkConditions line = new ChromiumNetworkConditions();
        line.setLatency(Duration.ofMillis(300));
        line.setDownloadThroughput(50_000);
        line.setUploadThroughput(20_000);
        browser.driver().executeCdpCommand("Network.clearBrowserCache", Map.of());
        browser.driver().setNetworkConditions(line);
        try {
            browser.load(server.address());
            browser.awaitText("main", "Healthy");
            browser.await("document.querySelectorAll('.chart canvas').length === 4");
            Object bytes = browser.script("return performance.getEntriesByType('resource')"
                    + ".concat(performance.getEntriesByType('navigation'))"
                    + ".filter(e => !e.name.includes('/api/')).reduce((sum, e) => sum + e.transferSize, 0)");
            assertThat(((Number) Objects.requireNonNull(bytes)).longValue()).as("bytes of the page")
                    .isBetween(20_000L, 200_000L);
        } finally {
            browser.driver().deleteNetworkConditions();
        }
        browser.resize(3840, 2160);
        for (String page : PageTour.PAGES) {
            tour.turnTo(page);
            browser.element("h1");
            assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth")).as(page)
                    .isEqualTo(true);
            assertThat(browser.script("return parseInt(getComputedStyle(document.documentElement).fontSize)"))
                    .isEqualTo(18L);
        }
    }

    @Test
    void aWrongPasswordIsRefusedAndAReaderCannotChange() {
        tour.signOut();
        browser.fill("input[type=password]", "wrong");
        browser.press("Sign in");
        browser.awaitText("[role=alert]", "This password is wrong.");
        tour.signIn(PageServer.READ);
        tour.turnTo("learn");
        browser.awaitText("main", "Your password may only read");
        tour.turnTo("access");
        browser.awaitText("main", "Skip list");
        assertThat(browser.driver().findElements(By.cssSelector("input[name=digest]"))).isEmpty();
        Object status = browser.script("return fetch('/api/skip?reason=x&digest=" + "ab".repeat(64)
                + "', { method: 'POST' }).then(r => r.status)");
        assertThat(status).as("a change without the token").isIn(401L, 403L);
    }

    @Test
    void aSessionEndsWhenThePasswordChangesAndThePageSaysSo() throws Exception {
        tour.turnTo("access");
        browser.awaitText("main", "Skip list");
        server.configure("another", 10);
        server.reload();
        browser.awaitText("main", "The session has ended. Sign in again.");
        tour.signIn("another");
        assertThat(browser.text("nav a[aria-current=page]")).as("the page is the same").isEqualTo("Access");
        server.configure(PageServer.CHANGE, 10);
        server.reload();
    }

    @Test
    void thePageOutlivesAReloadAndARestartOfTheServer() throws Exception {
        browser.awaitText("main", "Healthy");
        server.configure(PageServer.CHANGE, 4);
        server.reload();
        tour.turnTo("access");
        browser.awaitText("main", "weight = 4");
        server.configure(PageServer.CHANGE, 10);
        server.reload();
        tour.turnTo("now");
        browser.awaitText("main", "Healthy");
        server.stop();
        browser.awaitText("main", "The storage does not answer; trying again");
        server.startAgain();
        // Sessions are in memory only.
        browser.awaitText("main", "The session has ended. Sign in again.");
        tour.signIn(PageServer.CHANGE);
        browser.awaitText("main", "Healthy");
    }

    @Test
    void noMarkupOfAMailOrAKeyGetsThrough() throws Exception {
        String evil = "<script>hacked=1</script><img src=x onerror=hacked=1><b id=evil>";
        Path mail = mail("evil.eml", evil, "<img/src=x/onerror=hacked=1>evil@example.org",
                "these words want to be a program but stay words for ever \"><iframe src=javascript:hacked=1>");
        tour.learn(mail, "11");
        String why = tour.explain(mail);
        assertThat(why).contains(evil, "<img/src=x/onerror=hacked=1");
        tour.turnTo("access");
        browser.awaitText("main", PageServer.HOSTILE_NAME);
        browser.turnTo("why?" + "%3Cimg%20src%3Dx%20onerror%3Dhacked%3D1%3E");
        browser.awaitText("main", "Nothing is stored under this");
        browser.turnTo("now?%zz");
        browser.awaitText("main", "Now");
        assertThat(browser.script("return window.hacked === undefined && !document.getElementById('evil')"
                + " && !document.querySelector('#app script, #app img[src=x], #app iframe')")).isEqualTo(true);
    }

    @Test
    void twoAdministratorsAtOnceUndoOnce() throws Exception {
        Path mail = mail("two.eml", "two", "two@example.org",
                "two administrators look at one campaign and both of them want to take it back at the same time");
        tour.learn(mail, "11");
        String first = browser.driver().getWindowHandle();
        String second = browser.driver().switchTo().newWindow(WindowType.TAB).getWindowHandle();
        try {
            browser.load(server.otherAddress());
            tour.signIn(PageServer.CHANGE);
            for (String window : List.of(first, second)) {
                browser.driver().switchTo().window(window);
                tour.turnTo("undo");
                browser.fill("input[name=mail]", "two@example.org");
                tour.rehearse("1 flag removed");
            }
            tour.undo();
            browser.driver().switchTo().window(first);
            browser.press("Undo it");
            browser.awaitText("[data-result=done]", "Nothing is left to reverse");
            assertThat(tour.explain(mail)).contains("No match");
        } finally {
            browser.driver().switchTo().window(second).close();
            browser.driver().switchTo().window(first);
        }
    }

    @Test
    void nobodyIsLeftOut() throws Exception {
        tour.learn(mails.campaign(), "11");
        List<String> findings = new ArrayList<>();
        for (String theme : List.of("light", "dark")) {
            browser.prefer(theme);
            browser.resize(1280, 900);
            for (String page : PageTour.PAGES) {
                tour.fill(page);
                browser.accessibilityFindings().forEach(found -> findings.add(theme + " " + page + ": " + found));
            }
        }
        browser.resize(360, 740);
        for (String page : PageTour.PAGES) {
            tour.fill(page);
            Object wide = browser.script("return document.documentElement.scrollWidth");
            if (!Long.valueOf(360).equals(wide)) {
                findings.add("360 pixels " + page + " is " + wide + " wide");
            }
            Object sideways = browser.script("return [...document.querySelectorAll('table.narrow')]"
                    + ".filter(t => t.parentNode.scrollWidth > t.parentNode.clientWidth).length");
            if (!Long.valueOf(0).equals(sideways)) {
                findings.add("360 pixels " + page + " has a table of blocks that scrolls sideways");
            }
            if (page.equals("campaigns") && browser.driver()
                    .findElements(By.cssSelector("[aria-label=Families] .narrow")).isEmpty()) {
                findings.add("the families are not shown as blocks");
            }
        }
        tour.turnTo("access");
        browser.fill("[data-part=keys] input[name=name]", "phone");
        browser.press("Add key");
        browser.awaitText("[data-part=keys]", "this is the encryption_key of its clients");
        assertThat(browser.script("return document.documentElement.scrollWidth")).as("width with a whole key")
                .isEqualTo(360L);
        browser.press("Remove key");
        browser.press("Remove for good");
        browser.awaitText("[data-part=keys]", "No dynamic key yet.");
        browser.press("Sign out");
        browser.element("input[type=password]");
        browser.accessibilityFindings().forEach(found -> findings.add("login: " + found));
        assertThat(findings).isEmpty();
    }

    @Test
    void theKeyboardReachesEverything() {
        browser.awaitText("main", "Healthy");
        WebElement undo = browser.element("nav a[href='#undo']");
        Actions keys = new Actions(browser.driver());
        for (int i = 0; i < 20 && !browser.driver().switchTo().activeElement().equals(undo); i++) {
            keys.sendKeys(Keys.TAB).perform();
        }
        assertThat(browser.driver().switchTo().activeElement()).isEqualTo(undo);
        assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle")).isEqualTo("solid");
        keys.sendKeys(Keys.ENTER).perform();
        browser.awaitText("h1", "Undo");
        browser.await("document.activeElement === document.querySelector('h1')");
        List<String> reached = new ArrayList<>();
        for (int i = 0; i < 20 && !reached.contains("until"); i++) {
            keys.sendKeys(Keys.TAB).perform();
            reached.add(String.valueOf(browser.script("return document.activeElement.name")));
        }
        assertThat(reached).as("focus goes on from the heading").startsWith("digests", "mail", "user", "from");
        browser.element("input[name=mail]").sendKeys("nobody@example.org", Keys.ENTER);
        browser.awaitText("[data-result=plan]", "Nothing is left to reverse");
    }
}
