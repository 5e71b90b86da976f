package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.OutputType;

import static org.assertj.core.api.Assertions.assertThat;

/** Takes a picture of each page in both themes, for the documentation. {@code build/pictures} runs it. */
@EnabledIfSystemProperty(named = "weir.pictures", matches = ".+", disabledReason = "build/pictures sets weir.pictures")
class PagePicturesTest {
    private static final int WIDTH = 1040;
    private static final int HEIGHT = 780;
    /** Below this, the page Access shows the configuration with the paths of this machine. */
    private static final int ACCESS_HEIGHT = 640;
    /** So much of the load is seen in the curves. */
    private static final int STEPS = 5;

    @Test
    void takesThem(@TempDir Path scratch) throws Exception {
        Path folder = Files.createDirectories(Path.of(System.getProperty("weir.pictures")));
        Mails mails = Mails.in(scratch);
        try (Browser browser = Browser.start(); PageServer server = PageServer.start(scratch, "mx.example.org")) {
            PageTour tour = new PageTour(browser, mails);
            browser.load(server.address());
            tour.signIn(PageServer.CHANGE);
            tour.learn(mails.campaign(), "11");
            server.control("skips", "add", "5a".repeat(64), "--reason", "footer of the newsletter", "--days", "30")
                    .succeeded();
            browser.awaitScript("return fetch('/api/history?span=hour').then(r => r.json())"
                    + ".then(h => h.times.length >= " + STEPS + ")");
            for (String theme : List.of("light", "dark")) {
                browser.prefer(theme);
                for (String page : PageTour.PAGES) {
                    browser.resize(WIDTH, page.equals("access") ? ACCESS_HEIGHT : HEIGHT);
                    tour.fill(page);
                    // Below the rules and keys is what changes most.
                    browser.script("scrollTo(0, location.hash === '#access'"
                            + " ? document.querySelector('[data-part=skips]').offsetTop - 80 : 0)");
                    Path picture = folder.resolve(page + "-" + theme + ".png");
                    Files.write(picture, browser.driver().getScreenshotAs(OutputType.BYTES));
                    assertThat(picture).isNotEmptyFile();
                }
            }
        }
    }
}
