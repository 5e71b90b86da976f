package dev.weir.interop;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.testkit.Installed;
import dev.weir.testkit.WeirProgram;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A guide among the pages, typed in as written: every block of commands runs in one shell, on a machine of its own
 * that the kernel makes (namespaces, with overlays over the files of this machine), and a block without a language that
 * follows has lines that the output must contain. Four programs stand in for others: {@code apt-get} and {@code npm}
 * install what is there, {@code systemctl} starts and stops services without systemd, and {@code weir} runs the classes
 * under test.
 */
@Timeout(1800)
abstract class TypedGuide {
    private static final Path DOCS = Path.of("..", "..", "docs");
    /** Programs that cannot be installed beside the others, unpacked by .ci/run. */
    private static final Path PROGRAMS = Path.of("target", "programs").toAbsolutePath();
    private static final Pattern FENCE = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");

    private static final long PATIENCE_SECONDS = 600;

    @TempDir
    Path scratch;

    @BeforeAll
    static void requirePrograms() throws Exception {
        Programs.require("unshare", "ip", "swaks", "postfix", "rspamd", "rspamc");
        assumeTrue("root".equals(System.getProperty("user.name")), "only root makes a machine of its own");
        Process overlay = new ProcessBuilder("unshare", "-mn", "sh", "-c",
                "d=$(mktemp -d) && mount -t tmpfs t $d && mkdir $d/u $d/w && mount -t overlay o -o "
                        + "lowerdir=/srv,upperdir=$d/u,workdir=$d/w /srv")
                .redirectErrorStream(true).start();
        overlay.getInputStream().readAllBytes();
        assumeTrue(overlay.waitFor() == 0, "the kernel makes no overlays here");
    }

    /** Commands, with lines of their output. */
    private record Block(String commands, List<String> output) {}

    private static List<Block> blocks(String page) {
        List<Block> blocks = new ArrayList<>();
        Matcher fence = FENCE.matcher(page);
        while (fence.find()) {
            if (fence.group(1).equals("sh")) {
                blocks.add(new Block(fence.group(2), List.of()));
            } else {
                assertThat(fence.group(1)).as("language of a block").isEmpty();
                Block last = blocks.removeLast();
                blocks.add(new Block(last.commands(), fence.group(2).lines().toList()));
            }
        }
        return blocks;
    }

    private void program(String name, String content) throws IOException {
        Path file = Files.writeString(scratch.resolve("bin").resolve(name), content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = TypedGuide.class.getResourceAsStream("guide/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Types a guide in.
     *
     * @param guide the page below docs
     */
    final void typeIn(String guide) throws Exception {
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectory(scratch.resolve("bin"));
        for (String name : List.of("apt-get", "systemctl", "npm")) {
            program(name, resource(name));
        }
        StringBuilder weir = new StringBuilder("#!/bin/sh\nexec");
        WeirProgram.command(List.of()).forEach(word -> weir.append(" '").append(word).append('\''));
        program("weir", weir + " \"$@\"\n");
        Files.copy(Path.of("..", "..", "packages", "weir.conf"), scratch.resolve("weir.conf"));
        Path plugin = Files.createDirectory(scratch.resolve("spamassassin"));
        for (String name : List.of("Weir.pm", "weir.pre", "weir.cf")) {
            Files.copy(SpamAssassin.PLUGIN.resolve(name), plugin.resolve(name));
        }
        List<Block> blocks = blocks(Files.readString(DOCS.resolve(guide)));
        Path folder = Files.createDirectory(scratch.resolve("blocks"));
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            files.add(Files.writeString(folder.resolve(String.format(Locale.ROOT, "%02d", i + 1)),
                    blocks.get(i).commands()));
        }
        program("machine", resource("machine.sh"));
        Programs.Result result = Programs.run(scratch, PATIENCE_SECONDS, "unshare", "-mnpu", "--fork", "--mount-proc",
                "--kill-child",
                scratch.resolve("bin/machine").toString(), scratch.toString(), PROGRAMS.toString());
        assertThat(result.out()).as("%s%n%s", result.out(), result.err()).endsWith("done\n");
        for (int i = 0; i < blocks.size(); i++) {
            String output = Programs.read(folder.resolve(files.get(i).getFileName() + ".out"));
            for (String line : blocks.get(i).output()) {
                assertThat(output).as("output of\n%s", blocks.get(i).commands()).contains(line.strip());
            }
        }
        assertThat(blocks.stream().filter(block -> !block.output().isEmpty())).isNotEmpty();
    }

    static void requireUnpacked(String program) {
        Path place = PROGRAMS.resolve(program);
        Installed.require(Files.isExecutable(place), String.valueOf(place.getFileName()),
                "interop/target/programs has no " + program + "; .ci/run or build/haraka puts it there");
    }
}
