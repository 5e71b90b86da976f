package dev.weir.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.Installed;

/** The external programs of these tests. */
final class Programs {
    private static final long TIMEOUT_SECONDS = 180;

    private Programs() {}

    /** The result of a finished program. */
    record Result(int exit, String out, String err) {
        Result succeeded() {
            if (exit != 0) {
                throw new AssertionError("exit status " + exit + "\nstdout: " + out + "\nstderr: " + err);
            }
            return this;
        }
    }

    /** Skips the calling test, with the reason, if a program is not installed. */
    static void require(String... programs) {
        for (String program : programs) {
            Installed.require(program, debianPackage(program));
        }
    }

    private static String debianPackage(String program) {
        return switch (program) {
            case "rspamc", "rspamadm" -> "rspamd";
            case "dovecot" -> "dovecot-imapd";
            case "doveadm" -> "dovecot-core";
            case "fail2ban-regex" -> "fail2ban";
            case "sievec" -> "dovecot-sieve";
            case "nginx" -> "nginx-light";
            case "chromedriver" -> "chromium-driver";
            case "ip" -> "iproute2";
            case "amavisd" -> "amavisd-new";
            case "prlimit", "unshare" -> "util-linux";
            case "node" -> "nodejs";
            default -> program;
        };
    }

    /**
     * Returns the Rspamd 4 that the environment variable {@code RSPAMD4} names. Skips the calling test, with the
     * reason, if it names none: Debian has no package of it.
     */
    static String rspamd4() {
        String program = System.getenv().getOrDefault("RSPAMD4", "");
        Installed.require(!program.isEmpty() && Files.isExecutable(Path.of(program)), "rspamd4",
                "RSPAMD4 does not name the program rspamd of Rspamd 4, for which Debian has no package");
        return program;
    }

    static Result run(Path scratch, String... command) throws IOException, InterruptedException {
        return run(scratch, TIMEOUT_SECONDS, command);
    }

    static Result run(Path scratch, long patienceSeconds, String... command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(scratch, "out", ".txt");
        Path err = Files.createTempFile(scratch, "err", ".txt");
        Process process = new ProcessBuilder(List.of(command))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError("no end after " + patienceSeconds + " s: " + String.join(" ", command));
        }
        Result result = new Result(process.exitValue(), read(out), read(err));
        Files.delete(out);
        Files.delete(err);
        return result;
    }

    /** Returns the output of a program. Bytes that are not UTF-8 do not matter here. */
    static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
