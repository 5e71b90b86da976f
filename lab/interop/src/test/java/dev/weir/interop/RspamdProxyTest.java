package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a real Rspamd proxy with {@code weir serve} as its scanner. On one machine, the proxy passes mails in shared
 * memory, which Weir does not read. To an upstream with a key, it sends them.
 */
class RspamdProxyTest {
    @TempDir
    Path scratch;

    @BeforeAll
    static void requirePrograms() {
        Programs.require("rspamd", "rspamc");
    }

    private Process proxy(int port, int upstream, String key) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(scratch, "proxy");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path config = Files.writeString(folder.resolve("rspamd.conf"),
                """
                        options {
                          pidfile = "%1$s/rspamd.pid"; cache_file = "%1$s/symbols.cache"; control_socket = "%1$s/c.sock mode=0600";
                          dynamic_conf = "%1$s/dyn"; history_file = "%1$s/hist"; stats_file = "%1$s/stats"; rrd = "%1$s/rrd";
                          hs_cache_dir = "%5$s"; tempdir = "%1$s"; url_tld = "/usr/share/rspamd/effective_tld_names.dat";
                          explicit_modules = []; filters = ""; disable_hyperscan = true;
                          dns { nameserver = ["127.0.0.1:9"]; timeout = 0.05s; retransmits = 1; sockets = 1; }
                        }
                        logging { type = "file"; filename = "%1$s/rspamd.log"; level = "info"; }
                        worker "rspamd_proxy" {
                          bind_socket = "127.0.0.1:%2$d"; count = 1; milter = false; timeout = 20s;
                          upstream "weir" { default = yes; hosts = "127.0.0.1:%3$d"; %4$s }
                        }
                        """
                        .formatted(folder, port, upstream, key, RspamdPeer.compiled("rspamd")));
        Process process = new ProcessBuilder("rspamd", "-f", "-i", "-c", config.toString(),
                "--var=DBDIR=" + folder,
                "--var=RUNDIR=" + folder, "--var=LOGDIR=" + folder, "--var=LOCAL_CONFDIR=" + folder)
                .redirectErrorStream(true).redirectOutput(folder.resolve("console.log").toFile()).start();
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return process;
            } catch (java.net.ConnectException notYet) {
                if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                    throw new IOException(Programs.read(folder.resolve("console.log")), notYet);
                }
            }
        }
    }

    private Programs.Result scan(int upstream, String key, Path mail) throws IOException, InterruptedException {
        int port = FreePort.find();
        Process process = proxy(port, upstream, key);
        try {
            return Programs.run(scratch, "rspamc", "-h", "127.0.0.1:" + port, "symbols", mail.toString());
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void anUpstreamWithAKeyGetsTheMail() throws Exception {
        Mails mails = Mails.in(scratch);
        KeyFile key = KeyFile.generate(scratch);
        int http = FreePort.find();
        Path config = Files.writeString(scratch.resolve("weir.conf"),
                """
                        worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = "127.0.0.1"; }
                        worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = "127.0.0.1"; %4$s }
                        fuzzy_check { rule "local" {
                          algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "LOCAL"; mime_types = ["*"];
                          max_score = 20; fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } }
                        } }
                        group "fuzzy" { symbol "LOCAL_DENIED" { weight = 10.0; description = "Denied"; } }
                        """
                        .formatted(FreePort.find(), Files.createDirectory(scratch.resolve("db")), http,
                                key.text()));
        try (WeirHttp weir = WeirHttp.configured(scratch, config)) {
            weir.rspamc("-f", "11", "-w", "20", "fuzzy_add", mails.campaign().toString()).succeeded();
            Programs.Result shared = scan(http, "", mails.campaign());
            assertThat(shared.exit()).isEqualTo(1);
            assertThat(shared.out()).contains("HTTP error: 403, Messages must be sent");
            assertThat(scan(http, "key = \"" + key.publicKey() + "\";", mails.campaign()).succeeded().out())
                    .contains("Symbol: LOCAL_DENIED (9.91)");
        }
    }
}
