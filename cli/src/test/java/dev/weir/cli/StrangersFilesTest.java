package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.weir.cli.terminal.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Commands refuse what another user puts in their way: a pipe without a writer, a link to another user's file, a file
 * of a third user. Traps have their own test.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class StrangersFilesTest {
    private static final String STRANGER = "4321:4321";
    private static final String MAIL = "Subject: a\n\nwords of a mail that is long enough to be hashed by weir here\n";

    @TempDir
    private Path folder;

    private Path pipe;

    @BeforeEach
    void makeAPipe() throws Exception {
        pipe = folder.resolve("pipe");
        make("mkfifo", pipe.toString());
    }

    private static void make(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    /** Returns a link of another user to a file of the administrator. */
    private Path foreignLink(Path secret) throws Exception {
        assumeThat(System.getProperty("user.name")).as("only root gives files away").isEqualTo("root");
        Path link = Files.createSymbolicLink(folder.resolve("link"), secret);
        make("chown", "-h", STRANGER, link.toString());
        return link;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFolderOfMails(boolean mailboxes) throws Exception {
        assumeThat(System.getProperty("user.name")).as("only root gives files away").isEqualTo("root");
        Path mails = Files.createDirectory(folder.resolve("mails"));
        make("chmod", "1777", mails.toString());
        Files.writeString(mails.resolve("good.eml"), MAIL);
        Files.createSymbolicLink(mails.resolve("link.eml"), Files.writeString(folder.resolve("secret"), MAIL));
        make("mkfifo", mails.resolve("pipe.eml").toString());
        Path other = Files.writeString(mails.resolve("other.eml"), MAIL);
        make("chown", STRANGER, other.toString());
        Run run = mailboxes
                ? Run.weir("learn", "--mbox", "--flag", "1", "--server", "127.0.0.1:9", mails.toString())
                : Run.weir("hash", mails.toString());
        assertThat(run.err()).contains("link.eml: is a symbolic link in a folder",
                "pipe.eml: is a pipe, a socket or a device, and no mail",
                "other.eml: cannot be read: it belongs to another user than its folder");
    }

    @Test
    void anImport() throws Exception {
        String data = folder.resolve("data").toString();
        Run blocked = Run.weir("import", "--data", data, pipe.toString());
        assertThat(blocked.status()).isEqualTo(ExitCode.INPUT);
        assertThat(blocked.err()).contains("it is not a regular file, but a pipe");
        Run refused = Run.weir("import", "--data", data,
                foreignLink(Files.writeString(folder.resolve("secret"), "x")).toString());
        assertThat(refused.status()).isEqualTo(ExitCode.INPUT);
        assertThat(refused.err()).contains("a symbolic link of the user 4321 leads to it, and it belongs to root");
    }

    private Run check(String option) throws IOException {
        return Run.weir("config", "check", Files.writeString(folder.resolve("weir.conf"), String.format("""
                worker "fuzzy" { bind_socket = "127.0.0.1:0"; hash_file = "%s/fuzzy.db"; %s }
                """, folder, option)).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"allow_update = \"%s\";", "blocked = \"file://%s\";", "dynamic_keys_map = \"%s\";",
        "skip_hashes = \"%s\";"})
    void aList(String option) throws Exception {
        Path link = foreignLink(Files.writeString(folder.resolve("secret"), "hush-hush"));
        for (Path file : List.of(pipe, link)) {
            Run run = check(option.formatted(file));
            assertThat(run.err()).contains(file.equals(pipe)
                    ? "regular file"
                    : "a symbolic link of the user 4321 leads to it").doesNotContain("hush-hush");
        }
    }
}
