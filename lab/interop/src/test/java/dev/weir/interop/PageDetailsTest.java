package dev.weir.interop;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.wire.command.CommandCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/** What an operator meets less often on the page: refusals, roles, ends of sessions, times, and a new storage. */
@Timeout(300)
class PageDetailsTest extends PageFixture {
    private static final String ZONE = "Asia/Tokyo";
    private static final List<String> CHANGES = List.of("undo", "unblock", "skip", "key");

    PageDetailsTest() {
        super("mx.example.org", ZONE);
    }

    private static String text(String id, String words) {
        return text("details", id, words);
    }

    private Path mail(String id, String words) throws IOException {
        return mail(id + ".eml", "details", id, words);
    }

    @Test
    void theCurvesOfADayAndOf90DaysOutliveARestart() throws Exception {
        curvesReachBack();
        server.stop();
        browser.awaitText("main", "The storage does not answer; trying again");
        server.startAgain();
        browser.awaitText("main", "The session has ended. Sign in again.");
        tour.signIn(PageServer.CHANGE);
        curvesReachBack();
    }

    /** Looks at the pixels of the first chart: the color of the checks must be in its left part. */
    private void curvesReachBack() {
        for (Map.Entry<String, Integer> span : Map.of("Day", 600, "90 days", 1_000).entrySet()) {
            browser.press(span.getKey());
            browser.awaitScript("""
                    const canvas = document.querySelector('.chart canvas');
                    if (!canvas || !document.querySelector('button[aria-pressed=true]').innerText.startsWith('%s')) {
                      return false;
                    }
                    const width = Math.floor(canvas.width / 4);
                    const pixels = canvas.getContext('2d').getImageData(width, 0, width, canvas.height).data;
                    let drawn = 0;
                    for (let i = 0; i < pixels.length; i += 4) {
                      drawn += pixels[i] < 20 && Math.abs(pixels[i + 1] - 114) < 20 && pixels[i + 2] > 150
                        && pixels[i + 3] > 200;
                    }
                    return drawn > width / 2;
                    """.formatted(span.getKey()));
            String id = span.getKey().equals("Day") ? "day" : "quarter";
            assertThat((Long) browser.script("return fetch('/api/history?span=" + id
                    + "').then(r => r.json()).then(h => h.times.length)")).isGreaterThan(span.getValue());
        }
    }

    @Test
    void aBlockedAddressIsShownWithItsTimeAndUnblocked() throws Exception {
        assertThat(isAnswered(PageServer.BLOCKING_FLAG, 20)).isTrue();
        assertThat(isAnswered(1, 1)).as("blocked").isFalse();
        assertThat(server.control("blocked", "list").out())
                .containsPattern("127\\.0\\.0\\.2/32  (60|59|58) min left  blocked by a script");
        tour.turnTo("access");
        browser.awaitText("[data-part=refused]", "127.0.0.2/32");
        assertThat(browser.text("[data-part=refused] tbody")).contains("blocked by a script")
                .containsPattern("(60|59|58) min");
        browser.press("Unblock");
        browser.awaitText("[data-part=refused]", "No network is over its limit or blocked by a script.");
        assertThat(isAnswered(1, 20)).as("unblocked").isTrue();
        assertThat(server.control("blocked", "list").out()).contains("0 refused networks");
    }

    /** Returns whether a check from another loopback address gets an answer in a number of seconds. */
    private boolean isAnswered(int flag, int seconds) throws IOException {
        return isAnswered("127.0.0.2", RawClient.command(CommandCode.CHECK, flag, 0, 77), seconds);
    }

    private boolean isAnswered(String from, byte[] request, int seconds) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getByName(from), 0))) {
            socket.setSoTimeout((int) Duration.ofSeconds(seconds).toMillis());
            socket.send(new DatagramPacket(request, request.length, InetAddress.getLoopbackAddress(),
                    server.storage()));
            socket.receive(new DatagramPacket(new byte[2048], 2048));
            return true;
        } catch (SocketTimeoutException silent) {
            return false;
        }
    }

    @Test
    void whatAKeyBroughtIsUndone() throws Exception {
        Path keyed = mail("keyed@example.org", "a customer with a key of its own reported this text as unwanted today");
        Path other = mail("other@example.org", "somebody without any key has reported quite another text this evening");
        learn(keyed, "--encryption-key", server.publicKey());
        learn(other);
        tour.turnTo("undo");
        browser.fill("input[name=key]", server.publicKey().substring(0, 12));
        tour.rehearse("1 flag removed");
        tour.undo();
        assertThat(tour.explain(keyed)).contains("No match");
        assertThat(tour.explain(other)).contains("LOCAL_DENIED: flag 11");
    }

    @Test
    void whatAnAddressBroughtIsUndone() throws Exception {
        Path other = mail("here@example.org", "this machine itself reports a letter about a parcel in the harbor");
        learn(other);
        RawClient client = new RawClient(server.storage());
        assertThat(isAnswered("127.0.0.3", RawClient.command(CommandCode.WRITE, 11, 10, 78), 20)).isTrue();
        byte[] check = RawClient.command(CommandCode.CHECK, 0, 0, 78);
        assertThat(client.await(check, reply -> reply.value() > 0).value()).isEqualTo(10);
        tour.turnTo("undo");
        browser.fill("input[name=from]", "127.0.0.3");
        tour.rehearse("Changed: 1 hash. 1 flag removed");
        tour.undo();
        assertThat(client.ask(check).value()).isZero();
        assertThat(tour.explain(other)).contains("LOCAL_DENIED: flag 11");
    }

    @Test
    void theOptionOfASymbolLeadsToItsHash() throws Exception {
        Path mail = mail("option@example.org", "the log of the scanner shows the option of a symbol but no digest");
        learn(mail);
        Matcher option = Pattern.compile("11:[0-9a-f]{10}:1\\.00:txt").matcher(tour.explain(mail));
        assertThat(option.find()).isTrue();
        tour.turnTo("why");
        browser.fill("form input", option.group());
        browser.press("Search");
        browser.awaitText("main", "flag 11");
        assertThat(browser.text("main")).contains(option.group().substring(3, 13), "flag 11: 10");
    }

    @Test
    void whatOneUserBroughtIsUndoneAndWhatOthersBroughtStays() throws Exception {
        Path first = mail("alice1@example.org", "alice reports that her account was closed and wants a click at once");
        Path second = mail("alice2@example.org",
                "alice reports a lottery in which no person on this planet ever played");
        Path both = mail("both@example.org", "alice and bob report the same parcel that waits for a small fee");
        learnAs("alice", 10, first, second, both);
        learnAs("bob", 4, both);
        tour.turnTo("undo");
        browser.fill("input[name=user]", "alice");
        tour.rehearse("Changed: 3 hashes. 2 flags removed, 1 lowered, 0 raised");
        tour.undo();
        assertThat(tour.explain(first)).contains("No match");
        assertThat(tour.explain(second)).contains("No match");
        assertThat(tour.explain(both)).contains("LOCAL_DENIED: flag 11", "value 4", "bob");
    }

    /** Learns mails over HTTP for a user, as a mail server does. */
    private void learnAs(String user, int weight, Path... mails) throws Exception {
        for (Path mail : mails) {
            assertThat(server.rspamc("-P", PageServer.CHANGE, "-u", user, "-f", "11", "-w",
                    Integer.toString(weight), "fuzzy_add", mail.toString()).succeeded().out())
                    .contains("success = true");
        }
    }

    @Test
    void whatCameInARangeOfTimeIsUndone() throws Exception {
        Path before = mail("before@example.org", "the first report of the morning is right and everybody agrees on it");
        Path within = mail("within@example.org", "at noon somebody reports a newsletter that all others want to read");
        Path after = mail("after@example.org",
                "in the evening the reports are right again and all of them should stay");
        learn(before, "-f", "12");
        Instant since = nextSecond();
        learn(within, "-f", "12");
        Instant until = nextSecond();
        learn(after, "-f", "12");
        tour.turnTo("undo");
        browser.fill("input[name=flag]", "12");
        DateTimeFormatter local = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);
        browser.set("input[name=since]", local.format(LocalDateTime.ofInstant(since, ZoneId.of(ZONE))));
        browser.set("input[name=until]", local.format(LocalDateTime.ofInstant(until, ZoneId.of(ZONE))));
        tour.rehearse("Changed: 1 hash. 1 flag removed");
        tour.undo();
        assertThat(tour.explain(within)).contains("No match");
        assertThat(tour.explain(before)).contains("LOCAL_WHITE: flag 12");
        assertThat(tour.explain(after)).contains("LOCAL_WHITE: flag 12");
    }

    /** Returns the beginning of the next second, when it has begun. */
    private Instant nextSecond() {
        Instant next = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        browser.await("Date.now() > " + next.toEpochMilli());
        return next;
    }

    private void learn(Path mail, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("learn", "--server", "127.0.0.1:" + server.storage(),
                "--timeout", "10"));
        if (!List.of(options).contains("-f")) {
            words.addAll(List.of("-f", "11"));
        }
        words.addAll(List.of(options));
        words.addAll(List.of("-w", "10", mail.toString()));
        Weir.run(scratch, words.toArray(String[]::new)).succeeded();
    }

    @Test
    void aMailboxFileIsDroppedAndEachOutcomeShown() throws Exception {
        String first = text("box1@example.org",
                "the first mail of the mailbox speaks about the garden and its flowers");
        String second = text("box2@example.org", "From now on the second mail of the mailbox wants to sell you shoes");
        String empty = "Message-ID: <box3@example.org>\r\nSubject: x\r\n\r\nx\r\n";
        StringBuilder box = new StringBuilder();
        for (String mail : List.of(first, second, empty)) {
            box.append("From a@example.org Tue Nov 24 18:04:05 2026\r\n")
                    .append(mail.replace("\r\nFrom ", "\r\n>From ")).append("\r\n");
        }
        tour.turnTo("learn");
        browser.fill("input[name=flag]", "11");
        browser.drop("box.mbox", box.toString());
        browser.press("Learn 3 mails");
        browser.awaitText("[role=status]", "3 of 3 done, 1 failed");
        assertThat(
                browser.script("const bar = document.querySelector('progress'); return bar.value + ' of ' + bar.max"))
                .isEqualTo("3 of 3");
        List<String> rows = browser.driver().findElements(By.cssSelector("tbody tr")).stream()
                .map(WebElement::getText).toList();
        assertThat(rows).hasSize(3);
        assertThat(rows.get(0)).contains("box.mbox 1", "✓ 1 hash", "local: ", "127.0.0.1:" + server.storage());
        assertThat(rows.get(1)).contains("box.mbox 2", "✓ 1 hash");
        assertThat(rows.get(2)).contains("box.mbox 3", "✗");
        Path known = Files.writeString(scratch.resolve("box.eml"), second);
        assertThat(tour.explain(known)).contains("LOCAL_DENIED: flag 11, the same digest", "box2@example.org");
    }

    @Test
    void aSessionThatIsNotUsedEnds() throws Exception {
        tour.turnTo("undo");
        server.endSessionsAfter("1s");
        try {
            browser.fill("input[name=mail]", "nobody@example.org");
            // The page Undo asks nothing on its own.
            Object begun = browser.script("return performance.now()");
            browser.await("performance.now() - " + begun + " > 1500");
            browser.press("Rehearse");
            browser.awaitText("main", "The session has ended. Sign in again.");
        } finally {
            server.endSessionsAfter("30min");
        }
        tour.signIn(PageServer.CHANGE);
        browser.awaitText("h1", "Undo");
    }

    @Test
    void timesAreThoseOfTheReaderAndTheExactOneIsOnHover() {
        Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        tour.explain(tour.mails().campaign());
        tour.learn(tour.mails().campaign(), "11");
        tour.turnTo("now");
        tour.explain(tour.mails().campaign());
        WebElement shown = browser.element("main time");
        Instant exact = Instant.parse(String.valueOf(shown.getAttribute("title")));
        assertThat(exact).isBetween(begun, Instant.now());
        assertThat(shown.getAttribute("datetime")).isEqualTo(shown.getAttribute("title"));
        assertThat(shown.getText().replace('\u202f', ' ')).as("of today, so without the day")
                .isEqualTo(clock(exact, ZoneId.of(ZONE))).isNotEqualTo(clock(exact, ZoneOffset.UTC));
    }

    private static String clock(Instant time, ZoneId zone) {
        return DateTimeFormatter.ofPattern("h:mm a", Locale.US).withZone(zone).format(time);
    }

    @Test
    void whoMayOnlyReadSeesEverythingAndChangesNothing() throws Exception {
        Path mail = mail("role@example.org",
                "this text was learned by somebody who may and only read by one who may not");
        tour.learn(mail, "11");
        tour.signOut();
        tour.signIn(PageServer.READ);
        assertThat(tour.explain(mail)).contains("LOCAL_DENIED: flag 11").doesNotContain("Forget it",
                "Put it on the skip list");
        tour.turnTo("undo");
        browser.fill("input[name=mail]", "role@example.org");
        tour.rehearse("1 flag removed");
        browser.awaitText("[data-result=plan]", "Your password may only read. Sign in with enable_password to undo.");
        assertThat(buttons()).containsExactly("Sign out", "Rehearse");
        tour.turnTo("access");
        browser.awaitText("main", "Skip list");
        assertThat(buttons()).containsExactly("Sign out", "Check now");
        assertThat(browser.driver().findElements(By.cssSelector("main form"))).isEmpty();
        tour.turnTo("learn");
        browser.awaitText("main", "Your password may only read. Sign in with enable_password to learn.");
        assertThat(browser.driver().findElements(By.cssSelector("input[type=file]"))).isEmpty();
        for (String change : CHANGES) {
            assertThat(browser.script("return fetch('/api/session').then(r => r.json()).then(s => fetch('/api/" + change
                    + "', { method: 'POST', headers: { 'X-Weir-Token': s.token } })).then(r => r.status)"))
                    .as(change + " with the token of the reader").isEqualTo(403L);
        }
        // The console has the refusals.
        browser.log();
        tour.signOut();
        tour.signIn(PageServer.CHANGE);
        assertThat(tour.explain(mail)).contains("LOCAL_DENIED: flag 11");
    }

    private List<String> buttons() {
        return browser.driver().findElements(By.cssSelector("button")).stream().map(WebElement::getText)
                .filter(text -> !text.isEmpty()).toList();
    }

    @Test
    void nearDuplicatesAreOneCampaign() throws Exception {
        try (WeirHttp fresh = WeirHttp.start(scratch)) {
            List<Path> learned = List.of(mails.campaign(), mails.modified(), mails.unrelated());
            for (Path mail : learned) {
                fresh.rspamc("-f", "1", "-w", "10", "fuzzy_add", mail.toString()).succeeded();
            }
            // The near duplicates are found twice each, the other mail once.
            for (Path mail : List.of(mails.campaign(), mails.campaign(), mails.modified(), mails.modified(),
                    mails.unrelated())) {
                fresh.rspamc(mail.toString()).succeeded();
            }
            browser.load("http://127.0.0.1:" + fresh.port() + "/");
            tour.turnTo("campaigns");
            browser.await("document.querySelectorAll('[aria-label=Families] tbody tr').length === 2");
            assertThat(row(1)).as("hits of the hour and the day").startsWith("4", "4");
            assertThat(row(1).get(3)).as("hashes").isEqualTo("2");
            assertThat(row(2)).startsWith("1", "1");
            assertThat(row(2).get(3)).isEqualTo("1");
            browser.driver().findElement(By.linkText("Forget")).click();
            tour.rehearse("Changed: 2 hashes.");
        }
    }

    /** Returns the cells of a family. */
    private List<String> row(int number) {
        return browser.driver().findElements(By.cssSelector("[aria-label=Families] tbody tr:nth-child(" + number
                + ") td")).stream().map(WebElement::getText).toList();
    }

    @Test
    void aNewStorageSaysOnEachPageWhatToDoNext() throws Exception {
        try (WeirHttp fresh = WeirHttp.start(scratch)) {
            browser.load("http://127.0.0.1:" + fresh.port() + "/");
            Map<String, List<String>> advice = Map.of(
                    "now", List.of("Learn a mail under Learn.", "Point a fuzzy_check rule of Rspamd at this storage."),
                    "campaigns", List.of("No hash matched in the last hour. Campaigns appear as soon as"),
                    "why", List.of("Drop a mail here", "Such as"),
                    "undo", List.of("Nothing happens before you have seen the consequences"),
                    "access", List.of("Make one with weir keypair", "dynamic_keys_map", "No network is over its limit",
                            "Nothing is skipped", "weir serve -c PATH reads one"),
                    "learn", List.of("Drop mails or a mailbox file here"));
            for (String page : PageTour.PAGES) {
                tour.turnTo(page);
                for (String part : advice.getOrDefault(page, List.of())) {
                    browser.awaitText("main", part);
                }
                assertThat(browser.accessibilityFindings()).as(page).isEmpty();
            }
            tour.turnTo("undo");
            browser.fill("input[name=mail]", "nobody@example.org");
            browser.press("Rehearse");
            browser.awaitText("main", "Nothing is left to reverse. Someone may have undone this already; Why? shows");
            browser.turnTo("why?abcdef");
            browser.awaitText("main", "Check the digits, or drop the mail itself.");
        }
    }
}
