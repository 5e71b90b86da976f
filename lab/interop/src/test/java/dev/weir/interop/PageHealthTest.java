package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page says when something lags behind, fails or is not ready, and when it is mended. */
@Timeout(300)
class PageHealthTest extends PageFixture {
    PageHealthTest() {
        super("mx.example.org", "UTC");
    }

    /** Returns a script that reads the number of a tile. */
    private static String tile(String name) {
        return "parseInt([...document.querySelectorAll('.tile')].find(t => t.innerText.startsWith('" + name
                + "'))?.querySelector('b').innerText.replace(/\\D/g, ''))";
    }

    @Test
    void theLagOfTheDatabaseIsShownUntilItHasEverything() throws Exception {
        // Something is learned twice a second, and the database gets it once a minute.
        browser.await(tile("Mirror behind by") + " > 20");
        server.letLearn(false);
        try {
            server.control("control", "fuzzysync").succeeded();
            browser.await(tile("Mirror behind by") + " === 0");
        } finally {
            server.letLearn(true);
        }
    }

    @Test
    void theReasonsOfATroubleAreInWords() throws Exception {
        browser.awaitText("main", "● Healthy");
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + server.database());
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            assertThat(server.control("control", "fuzzysync").exit()).as("the database is locked").isNotZero();
            browser.awaitText("main", "▲ Needs attention");
            browser.awaitText("main [role=alert]", "the mirror is not up to date: ");
            assertThat(browser.text("main [role=alert]")).contains("fuzzy.db", "locked");
            assertThat(browser.accessibilityFindings()).isEmpty();
            statement.execute("ROLLBACK");
        }
        server.control("control", "fuzzysync").succeeded();
        browser.awaitText("main", "● Healthy");
        assertThat(browser.text("main [role=alert]")).isEmpty();
    }

    @Test
    void theChecksTurnFromRedToGreenByThemselves() throws Exception {
        server.letLearn(false);
        try {
            tour.turnTo("access");
            browser.press("Check now");
            browser.awaitText("section.unready", "✗ Not ready");
            assertThat(color("section.unready p.bad b")).as("red").isNotEqualTo(color("main h1"));
            assertThat(browser.text("section.unready")).as("what to do").containsPattern("✗ .+: .+");
        } finally {
            server.letLearn(true);
        }
        browser.awaitText("section.ready", "✓ Everything is ready");
        assertThat(browser.text("section.ready")).doesNotContain("✗");
        assertThat(color("section.ready p.good b")).as("green").isNotEqualTo(color("main h1"));
    }

    private Object color(String selector) {
        return String.valueOf(browser.script("return getComputedStyle(document.querySelector(arguments[0])).color",
                selector));
    }

    /** The slave runs only later. */
    @Test
    void aMirrorOfTheOldReplicationIsShownWithItsLagAndFailure() throws Exception {
        KeyFile master = KeyFile.generate(scratch);
        KeyFile slave = KeyFile.generate(scratch);
        int port = FreePort.find();
        int storage = FreePort.find();
        Path data = Files.createDirectory(scratch.resolve("master"));
        Path configuration = Files.writeString(data.resolve("weir.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:%d"; hashfile = "%s/fuzzy.db"; sync = 0.2s;
                  allow_update = "127.0.0.1"; slave { name = "mirror1"; hosts = "127.0.0.1:%d"; key = "%s"; } %s
                }
                worker "controller" { bind_socket = "127.0.0.1:0"; }
                """.formatted(storage, data, port, slave.publicKey(), pair(master)));
        try (WeirHttp weir = WeirHttp.configured(data, configuration)) {
            browser.load("http://127.0.0.1:" + weir.port() + "/");
            browser.awaitText("[aria-label=Mirrors]", "mirror1");
            Path mail = mail("mirrored.eml", "mirrored", "mirrored@example.org",
                    "the master learns this and keeps it for its slave until that is there to take it");
            Weir.run(scratch, "learn", "--server", "127.0.0.1:" + storage, "--timeout", "10", "-f", "1", "-w", "10",
                    mail.toString()).succeeded();
            browser.await("document.querySelector('[aria-label=Mirrors] td.n').innerText !== '0'");
            browser.awaitText("[aria-label=Mirrors] td.bad", "▲");
            Path target = Files.createDirectory(scratch.resolve("slave"));
            try (WeirStorage taken = WeirStorage.configured(Files.writeString(target.resolve("weir.conf"), """
                    worker "fuzzy" { bind_socket = "127.0.0.1:%d"; hashfile = "%s/fuzzy.db"; sync = 0.2s;
                      masters = "127.0.0.1"; master_key = "%s"; %s
                    }
                    """.formatted(port, target, master.publicKey(), pair(slave))))) {
                browser.awaitText("[aria-label=Mirrors] td.good", "● follows");
                browser.await("document.querySelector('[aria-label=Mirrors] td.n').innerText === '0'");
                assertThat(Weir.run(scratch, "check", "--server", taken.address(), mail.toString()).succeeded().out())
                        .contains("known", "flag 1  value 10");
            }
        }
    }

    private static String pair(KeyFile key) {
        return key.text().replaceFirst("keypair", "sync_keypair");
    }
}
