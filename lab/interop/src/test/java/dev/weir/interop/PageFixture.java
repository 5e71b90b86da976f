package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in Debian's Chromium, with a real storage behind it that clients ask all the time. All tests of a class
 * share browser and storage; each begins signed in with the password that may change.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class PageFixture {
    private final String keyName;
    private final String zone;

    Path scratch;
    Mails mails;
    Browser browser;
    PageServer server;
    PageTour tour;

    /**
     * Names what differs between classes.
     *
     * @param keyName the name of the only key of the storage
     * @param zone the time zone of the reader
     */
    PageFixture(String keyName, String zone) {
        this.keyName = keyName;
        this.zone = zone;
    }

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        browser = Browser.start();
        browser.zone(zone);
        scratch = folder;
        mails = Mails.in(folder);
        server = PageServer.start(folder, keyName);
        tour = new PageTour(browser, mails);
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void enter() {
        browser.resize(1280, 900);
        browser.prefer("light");
        browser.driver().manage().deleteAllCookies();
        browser.load(server.address());
        tour.signIn(PageServer.CHANGE);
        browser.log();
    }

    /** No test may bring a violation of the policy or an error that nothing handles. */
    @AfterEach
    void theConsoleIsClean() {
        assertThat(browser.log()).noneMatch(line -> line.contains("Content Security Policy")
                || line.contains("Uncaught") || line.contains("/page/"));
    }

    /** Returns the text of a mail whose words repeat. */
    static String text(String subject, String id, String words) {
        return "From: <a@example.org>\r\nMessage-ID: <" + id + ">\r\nSubject: " + subject
                + "\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + (words + "\r\n").repeat(12);
    }

    /** Writes such a mail to a file. */
    Path mail(String name, String subject, String id, String words) throws IOException {
        return Files.writeString(scratch.resolve(name), text(subject, id, words));
    }
}
