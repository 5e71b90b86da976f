package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.testkit.FreePort;

/**
 * A real SpamAssassin with the plugin of Weir, the rules of {@code weir.cf} and one rule of its own,
 * {@value #OWN_RULE}, which every mail with a subject hits. It makes no network tests.
 */
final class SpamAssassin {
    static final String OWN_RULE = "OWN_RULE";
    /** The files that a user copies. */
    static final Path PLUGIN = Path.of("..", "..", "packages", "spamassassin").toAbsolutePath().normalize();

    private static final String MODULE = "Mail::SpamAssassin::Plugin::Weir";
    private static final long PATIENCE_SECONDS = 120;

    private final Path scratch;
    private final Path site;
    private final List<String> options;

    private SpamAssassin(Path scratch, Path site) {
        this.scratch = scratch;
        this.site = site;
        this.options = List.of("--siteconfigpath=" + site, "--configpath=" + site.resolve("rules"), "-L");
    }

    /** Skips the calling test, with the reason, if a program is missing. */
    static void require() {
        Programs.require("spamassassin", "spamd", "spamc");
    }

    /** Starts Weir with kinds, with the lines of its controller. */
    static WeirHttp weir(Path scratch, String controller) throws IOException {
        return WeirHttp.configured(scratch, Files.writeString(Files.createTempFile(scratch, "weir", ".conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = "127.0.0.1";
                }
                worker "controller" { %3$s }
                fuzzy_check { rule "local" {
                  servers = "127.0.0.1:%1$d"; algorithm = mumhash; hits_limit = 10; timeout = 10s;
                  fuzzy_map { FUZZY_DENIED { flag = 1 } FUZZY_WHITE { flag = 3 } }
                  kinds { trusted_hosts = ["mx.example.org"]; links { flag_offset = 20; weight = 0.5 } }
                } }
                group "fuzzy" { symbols = { FUZZY_DENIED { weight = 12 } FUZZY_WHITE { weight = -2 } } }
                """.formatted(FreePort.find(), Files.createTempDirectory(scratch, "db"), controller)));
    }

    /** Starts Weir with kinds, for this machine. */
    static WeirHttp weir(Path scratch) throws IOException {
        return weir(scratch, "bind_socket = \"127.0.0.1:0\"; secure_ip = \"127.0.0.1\";");
    }

    /** Teaches Weir a mail so often that a hit counts whole. */
    static void learn(WeirHttp weir, Path mail) throws IOException, InterruptedException {
        weir.rspamc("-t", "60", "-f", "1", "-w", "20", "fuzzy_add", mail.toString()).succeeded();
    }

    /** Writes a mail with words that no mail with another seed has. */
    static Path mail(Path scratch, int seed) throws IOException {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 120; i++) {
            for (int letter = 0; letter < 7; letter++) {
                text.append((char) ('a' + random.nextInt(26)));
            }
            text.append(i % 10 == 9 ? '\n' : ' ');
        }
        return Files.writeString(Files.createTempFile(scratch, "mail", ".eml"),
                "From: <a@example.com>\nTo: <b@example.org>\nSubject: mail " + seed + "\nMessage-ID: <" + seed
                        + "@example.com>\n\n" + text);
    }

    /** Writes a configuration with further lines. Another user may read it, because spamd runs as one. */
    static SpamAssassin in(Path scratch, String... settings) throws IOException {
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path site = Files.createTempDirectory(scratch, "site");
        Path bayes = Files.createDirectory(site.resolve("bayes"));
        Files.setPosixFilePermissions(site, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(bayes, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.writeString(Files.createDirectory(site.resolve("rules")).resolve("20_own.cf"), """
                util_rb_tld com org net
                report_safe 0
                required_score 5
                clear_headers
                add_header all Status "_YESNO_, score=_SCORE_ tests=_TESTS_ autolearn=_AUTOLEARN_"
                add_header all Weir "_WEIRHITS_"
                clear_report_template
                report _SUMMARY_
                header OWN_RULE Subject =~ /\\S/
                score OWN_RULE 1.1
                """);
        Files.writeString(site.resolve("own.pre"), """
                loadplugin Mail::SpamAssassin::Plugin::Check
                loadplugin Mail::SpamAssassin::Plugin::Bayes
                loadplugin Mail::SpamAssassin::Plugin::AutoLearnThreshold
                """);
        Files.writeString(site.resolve("weir.pre"), Files.readString(PLUGIN.resolve("weir.pre"))
                .replace("#tryplugin " + MODULE, "loadplugin " + MODULE + " " + PLUGIN.resolve("Weir.pm")));
        Files.copy(PLUGIN.resolve("weir.cf"), site.resolve("weir.cf"));
        Files.writeString(site.resolve("local.cf"),
                "weir_timeout 60s\nbayes_path " + bayes.resolve("bayes") + "\nbayes_file_mode 0777\n"
                        + String.join("\n", settings) + "\n");
        return new SpamAssassin(scratch, site);
    }

    /** Returns the folder of the configuration, which has that of the rules, {@code rules}. */
    Path site() {
        return site;
    }

    /** Runs {@code spamassassin} on a mail. The result has the mail, or what an option prints. */
    Programs.Result run(Path mail, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "mail=$1; shift; exec \"$@\" < \"$mail\"", "sh",
                mail.toString(), "spamassassin", "-p", preferences().toString()));
        command.addAll(options);
        command.addAll(List.of(arguments));
        return Programs.run(scratch, command.toArray(String[]::new));
    }

    private Path preferences() throws IOException {
        Path file = scratch.resolve("user_prefs");
        return Files.exists(file) ? file : Files.createFile(file);
    }

    /** Starts {@code spamd}. */
    Spamd spamd(String... arguments) throws IOException {
        int port = FreePort.find();
        Path log = Files.createTempFile(scratch, "spamd", ".log");
        List<String> command = new ArrayList<>(List.of("spamd", "-x", "-l", "-4", "-s", "stderr", "-i",
                "127.0.0.1:" + port, "-D", "weir,reporter,learn"));
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.addAll(options);
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectError(log.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        Spamd spamd = new Spamd(scratch, process, port, log);
        try {
            spamd.await("server started on");
            return spamd;
        } catch (IOException e) {
            spamd.close();
            throw e;
        }
    }

    /** A process {@code spamd} with its children. */
    static final class Spamd implements AutoCloseable {
        private final Path scratch;
        private final Process process;
        private final int port;
        private final Path log;

        private Spamd(Path scratch, Process process, int port, Path log) {
            this.scratch = scratch;
            this.process = process;
            this.port = port;
            this.log = log;
        }

        /** Returns the log so far. */
        String log() throws IOException {
            return Programs.read(log);
        }

        /** Waits until the log has a text. */
        void await(String text) throws IOException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!log().contains(text)) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("spamd did not log \"" + text + "\":\n" + log());
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }

        /** Passes a mail through {@code spamc}, and returns what it prints. */
        String spamc(Path mail, String... arguments) throws IOException, InterruptedException {
            Programs.Result result = Programs.run(scratch, command(mail, arguments));
            assertThatItAnswered(result);
            return result.out();
        }

        /** Starts {@code spamc} with a mail. Its output goes to a file. */
        Process start(Path mail, Path out) throws IOException {
            return new ProcessBuilder(command(mail)).redirectErrorStream(true).redirectOutput(out.toFile()).start();
        }

        private String[] command(Path mail, String... arguments) {
            List<String> command = new ArrayList<>(List.of("sh", "-c", "mail=$1; shift; exec \"$@\" < \"$mail\"", "sh",
                    mail.toString(), "spamc", "-x", "-d", "127.0.0.1", "-p", Integer.toString(port), "-s", "50000000"));
            command.addAll(List.of(arguments));
            return command.toArray(String[]::new);
        }

        /** The statuses of {@code spamc -L} and {@code -C} are 0, 5 and 6; those from 64 on are failures. */
        private void assertThatItAnswered(Programs.Result result) throws IOException {
            if (result.exit() >= 64) {
                throw new AssertionError("spamc ended with " + result.exit() + ": " + result.err() + "\n" + log());
            }
        }

        @Override
        public void close() {
            process.destroy();
            try {
                if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                    throw new AssertionError("spamd did not end");
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
