package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A test that moves one database, whose name the configurations choose, from Rspamd to Weir and back. */
class SharedDatabaseTest {
    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc");
    }

    @Test
    void goesFromRspamdToWeirAndBack() throws Exception {
        Mails mails = Mails.in(scratch);
        Path data = Files.createDirectory(scratch.resolve("data"));
        Path database = data.resolve("hashes.sqlite");
        int port = FreePort.find();
        RspamdPeer.Setup rspamdStores = new RspamdPeer.Setup(port, null,
                new RspamdPeer.OwnStorage(port, RspamdPeer.sqlite(database), null));

        try (RspamdPeer rspamd = RspamdPeer.start(scratch, rspamdStores)) {
            rspamd.learn(mails.campaign(), 1, 10).succeeded();
            rspamd.stop();
        }

        Path configuration = Files.writeString(scratch.resolve("weir.conf"), "worker \"fuzzy\" { bind_socket = "
                + "\"127.0.0.1:0\"; hashfile = \"" + database + "\"; allow_update = \"127.0.0.1\"; expire = 90d; }\n");
        try (WeirStorage weir = WeirStorage.configured(configuration);
                RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(weir.port(), null, null))) {
            assertThat(rspamd.scan(mails.campaign())).contains(RspamdPeer.DENIED);
            assertThat(Weir.run(scratch, "check", "--json", "--server", weir.address(), mails.modified().toString())
                    .succeeded()
                    .out()).contains("\"flag\":1", "\"value\":10");
            Weir.run(scratch, "learn", "-f", "1", "-w", "3", "--server", weir.address(), mails.campaign().toString())
                    .succeeded();
            rspamd.learn(mails.unrelated(), 2, 5).succeeded();
        }
        assertThat(data.resolve("fuzzy.db")).as("every tool finds the database").isSymbolicLink();
        assertThat(Weir.run(scratch, "verify", "--data", data.toString()).succeeded().out()).contains("2 ");

        try (RspamdPeer rspamd = RspamdPeer.start(scratch, rspamdStores)) {
            assertThat(rspamd.scan(mails.campaign())).contains(RspamdPeer.DENIED);
            assertThat(rspamd.scan(mails.modified())).contains(RspamdPeer.DENIED);
            assertThat(rspamd.scan(mails.unrelated())).contains(RspamdPeer.PROBABLE);
            String added = Weir
                    .run(scratch, "check", "--json", "--server", "127.0.0.1:" + port, mails.campaign().toString())
                    .succeeded()
                    .out();
            assertThat(added).as("10 by Rspamd and 3 by Weir").contains("\"value\":13");
            rspamd.learn(mails.campaign(), 1, 4).succeeded();
            rspamd.stop();
        }

        // Weir has a store by now, and takes over what Rspamd changed.
        try (WeirStorage weir = WeirStorage.start(data)) {
            assertThat(Weir.run(scratch, "check", "--json", "--server", weir.address(), mails.campaign().toString())
                    .succeeded().out()).contains("\"value\":17");
        }
        assertThat(Weir.run(scratch, "verify", "--data", data.toString()).succeeded().out())
                .contains("has the same hashes");
    }
}
