package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.testkit.FreePort;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A real Dovecot with one user, on a loopback port. It runs as root only. */
final class Dovecot implements AutoCloseable {
    static final String USER = "bait";
    static final String PASSWORD = "secret";
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Path scratch;
    private final Path folder;
    private final int port;

    private Dovecot(Path scratch, Path folder, int port) {
        this.scratch = scratch;
        this.folder = folder;
        this.port = port;
    }

    /** Skips the calling test, with the reason, if Dovecot cannot run here. */
    static void require() {
        Programs.require("dovecot", "doveadm");
        assumeTrue("root".equals(System.getProperty("user.name")), "Dovecot starts only as root");
    }

    /**
     * Starts it.
     *
     * @param further further lines of its configuration
     */
    static Dovecot start(Path scratch, String further) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(Path.of("/tmp"), "weir-dovecot");
        int port = FreePort.find();
        Files.writeString(folder.resolve("users"), USER + ":{PLAIN}" + PASSWORD + "\n");
        // Dovecot reads no mail as root.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String own : List.of("mail", "home")) {
            Programs.run(scratch, "chown", "mail:mail", Files.createDirectory(folder.resolve(own)).toString())
                    .succeeded();
        }
        Files.writeString(folder.resolve("dovecot.conf"), """
                base_dir = %1$s/run
                state_dir = %1$s/state
                log_path = %1$s/log
                protocols = imap
                listen = 127.0.0.1
                ssl = no
                disable_plaintext_auth = no
                first_valid_uid = 1
                mail_location = maildir:%1$s/mail/%%u
                passdb {
                  driver = passwd-file
                  args = %1$s/users
                }
                userdb {
                  driver = static
                  args = uid=mail gid=mail home=%1$s/home/%%u
                }
                service imap-login {
                  chroot =
                  inet_listener imap {
                    port = %2$d
                  }
                  inet_listener imaps {
                    port = 0
                  }
                }
                service anvil {
                  chroot =
                }
                """.formatted(folder, port) + further);
        Dovecot dovecot = new Dovecot(scratch, folder, port);
        Programs.run(scratch, "dovecot", "-c", dovecot.config()).succeeded();
        long deadline = System.nanoTime() + START_NANOS;
        while (dovecot.doveadm("auth", "test", USER, PASSWORD).exit() != 0) {
            if (System.nanoTime() > deadline) {
                throw new IOException("Dovecot does not answer:\n" + Programs.read(folder.resolve("log")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return dovecot;
    }

    private String config() {
        return folder.resolve("dovecot.conf").toString();
    }

    int port() {
        return port;
    }

    /** Returns the folder with its files. */
    Path folder() {
        return folder;
    }

    Programs.Result doveadm(String... arguments) throws IOException, InterruptedException {
        String[] command = new String[arguments.length + 3];
        command[0] = "doveadm";
        command[1] = "-c";
        command[2] = config();
        System.arraycopy(arguments, 0, command, 3, arguments.length);
        return Programs.run(scratch, command);
    }

    /** Puts a mail into a folder of the user. */
    void save(String mailbox, Path mail) throws IOException, InterruptedException {
        doveadm("mailbox", "create", "-u", USER, mailbox);
        Programs.run(scratch, "sh", "-c", "exec doveadm -c '" + config() + "' save -u " + USER + " -m '" + mailbox
                + "' < '" + mail + "'").succeeded();
    }

    @Override
    public void close() throws IOException {
        try {
            doveadm("stop");
            Programs.run(scratch, "rm", "-rf", folder.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
