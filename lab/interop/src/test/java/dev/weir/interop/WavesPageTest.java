package dev.weir.interop;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.Generation;
import dev.weir.wire.command.CommandCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;

import static org.assertj.core.api.Assertions.assertThat;

/** The page Waves in Debian's Chromium: groups with curves, their hashes side by side, and what is done about them. */
@Timeout(600)
class WavesPageTest {
    private static final int NARROW = 400;

    @TempDir
    private Path scratch = Path.of("");

    private final SplittableRandom random = new SplittableRandom(1);

    private void copies(int port, long text, int copies) throws Exception {
        for (int i = 0; i < copies; i++) {
            long[] shingles = new SplittableRandom(text).longs(32).toArray();
            for (int slot = 0; slot < 5; slot++) {
                shingles[random.nextInt(32)] = random.nextLong();
            }
            byte[] digest = new byte[64];
            random.nextBytes(digest);
            try (UdpClient client = new UdpClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    "127.0.0." + (10 + i % 7), 5_000)) {
                client.ask(Generation.V4, CommandCode.CHECK, Digest.of(digest), 0, 0, shingles);
            }
        }
    }

    /** Takes a picture if the system property says where; a person looks at it. */
    private static void picture(Browser browser, String name) throws Exception {
        String folder = System.getProperty("weir.pictures");
        if (folder != null) {
            Files.write(Files.createDirectories(Path.of(folder)).resolve(name + ".png"),
                    browser.driver().getScreenshotAs(OutputType.BYTES));
        }
    }

    @Test
    void wavesAreShownExplainedLearnedAndExcluded() throws Exception {
        int port = FreePort.find();
        Path configuration = Files.writeString(scratch.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%d"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1";
                  waves { flag = 60; min_checks = 10; min_clients = 3; window = 1h; }
                }
                worker "controller" {
                  bind_socket = "127.0.0.1:%d"; secure_ip = ["192.0.2.1"]; password = "%s"; enable_password = "%s";
                }
                """.formatted(port, Files.createDirectory(scratch.resolve("folder")), FreePort.find(), PageServer.READ,
                PageServer.CHANGE).replace("folder/data", "folder"));
        try (WeirHttp weir = WeirHttp.configured(scratch, configuration); Browser browser = Browser.start()) {
            browser.resize(1280, 900);
            browser.load("http://127.0.0.1:" + weir.port() + "/");
            PageTour tour = new PageTour(browser, Mails.in(scratch));
            tour.signIn(PageServer.CHANGE);
            tour.turnTo("waves");
            browser.awaitText("section[aria-label=Waves]", "No text was asked about twice");
            copies(port, 1, 40);
            copies(port, 2, 12);
            copies(port, 3, 3);
            browser.await("document.querySelectorAll('section[aria-label=Waves] tbody tr').length === 3");
            browser.awaitText("section[aria-label=Waves]", "answers checks");
            assertThat(browser.driver().findElements(By.cssSelector("tbody svg.spark path"))).as("a curve for each")
                    .hasSize(3);
            browser.press("Explain");
            browser.awaitText("section[aria-label='Hashes of a wave']", "of 32");
            assertThat(browser.driver().findElements(By.cssSelector("section[aria-label='Hashes of a wave'] tbody tr")))
                    .as("members side by side").hasSizeGreaterThanOrEqualTo(2);
            for (String theme : List.of("light", "dark")) {
                browser.prefer(theme);
                browser.resize(1280, 900);
                picture(browser, "waves-" + theme);
                browser.resize(NARROW, 900);
                assertThat(browser.script("return document.documentElement.scrollWidth <= " + NARROW
                        + " || window.innerWidth > " + NARROW + " && document.documentElement.scrollWidth"
                        + " <= window.innerWidth")).as("nothing is wider than a phone").isEqualTo(true);
                assertThat(browser.script("const t = document.querySelector('[aria-label=Waves] table.narrow');"
                        + " return t.parentNode.scrollWidth <= t.parentNode.clientWidth"))
                        .as("no wave scrolls sideways").isEqualTo(true);
                picture(browser, "waves-400-" + theme);
                assertThat(browser.accessibilityFindings()).as(theme).isEmpty();
            }
            browser.resize(1280, 900);
            browser.press("Never");
            browser.press("Put it on the skip list");
            browser.awaitText("[role=status]", "is on the skip list");
            browser.awaitText("section[aria-label=Waves]", "on the skip list: never answers");
            browser.press("Learn");
            browser.fill("input[name=flag]", "11");
            browser.press("Learn the wave");
            browser.awaitText("[role=status]", "Learned");
            browser.awaitText("section[aria-label=Waves]", "learned");
        }
    }
}
