package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** An unmodified Rspamd whose {@code fuzzy_check} asks a Weir storage, in plain text and encrypted. */
class RspamdAsScannerTest {
    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc");
    }

    @Test
    void learnsFindsAndForgetsInPlainText() throws Exception {
        learnsFindsAndForgets(null);
    }

    @Test
    void learnsFindsAndForgetsEncrypted() throws Exception {
        learnsFindsAndForgets(KeyFile.generate(scratch));
    }

    private void learnsFindsAndForgets(@Nullable KeyFile key) throws IOException, InterruptedException {
        Mails mails = Mails.in(scratch);
        String[] options = key == null
                ? new String[0]
                : new String[]{"--keypair", key.file().toString(), "--encrypted-only"};
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"), options);
                RspamdPeer rspamd = RspamdPeer.start(scratch,
                        new RspamdPeer.Setup(storage.port(), key == null ? null : key.publicKey(), null))) {
            assertThat(rspamd.scan(mails.campaign())).doesNotContain(RspamdPeer.DENIED);

            assertThat(rspamd.learn(mails.campaign(), 1, 10).succeeded().out()).contains("success = true");
            // No wait: Weir acknowledges an update after storing it, and the update is visible at once.
            assertThat(rspamd.scan(mails.campaign())).contains(RspamdPeer.DENIED).contains("1.00:txt");
            assertThat(rspamd.scan(mails.modified())).containsPattern(RspamdPeer.DENIED + ".*0\\.[5-9]\\d:txt");
            assertThat(rspamd.scan(mails.unrelated())).doesNotContain(RspamdPeer.DENIED);

            assertThat(rspamd.forget(mails.campaign(), 1).succeeded().out()).contains("success = true");
            assertThat(rspamd.scan(mails.campaign())).doesNotContain(RspamdPeer.DENIED);
            assertThat(rspamd.scan(mails.modified())).doesNotContain(RspamdPeer.DENIED);
        }
    }

    @Test
    void eachScannerFindsHashesOfTheOther() throws Exception {
        Mails mails = Mails.in(scratch);
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"));
                RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(storage.port(), null, null))) {
            Weir.run(scratch, "learn", "-f", "1", "-w", "7", "--server", storage.address(), mails.campaign().toString())
                    .succeeded();
            assertThat(rspamd.scan(mails.campaign())).contains(RspamdPeer.DENIED).contains("1.00:txt");

            rspamd.learn(mails.unrelated(), 2, 5).succeeded();
            Programs.Result check = Weir
                    .run(scratch, "check", "--json", "--server", storage.address(), mails.unrelated().toString())
                    .succeeded();
            assertThat(check.out()).contains("\"flag\":2", "\"value\":5", "\"probability\":1.0");
        }
    }

    @Test
    void showsASymbolWhenTheStorageRefusesToLearn() throws Exception {
        Mails mails = Mails.in(scratch);
        try (WeirStorage storage = WeirStorage.start(scratch.resolve("data"), "--allow-update", "192.0.2.0/24");
                RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(storage.port(), null, null))) {
            Programs.Result learn = rspamd.learn(mails.campaign(), 1, 10);
            assertThat(learn.out() + learn.err()).doesNotContain("success = true").contains("503");
            assertThat(rspamd.scan(mails.campaign())).doesNotContain(RspamdPeer.DENIED);
        }
    }
}
