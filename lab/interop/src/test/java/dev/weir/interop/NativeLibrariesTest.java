package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.weir.testkit.WeirProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the files that SQLite and LuaJIT unpack their libraries to, and of leftovers. */
class NativeLibrariesTest {
    @TempDir
    Path scratch;

    private Process serve(Path natives) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(WeirProgram.command(List.of("serve", "--no-http", "--bind",
                "127.0.0.1:0", "--data", scratch.resolve("data").toString())))
                .redirectError(scratch.resolve("err").toFile());
        builder.environment().put("WEIR_NATIVE_DIR", natives.toString());
        return builder.start();
    }

    private static List<Path> folders(Path natives) throws IOException {
        try (Stream<Path> all = Files.list(natives)) {
            return all.toList();
        }
    }

    @Test
    void usesTheChosenFolderAndRemovesLeftoversOfAKilledProcess() throws Exception {
        Path natives = scratch.resolve("natives");
        Process killed = serve(natives);
        try (BufferedReader out = killed.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).startsWith("weir: storage ready");
        } finally {
            killed.destroyForcibly();
        }
        assertThat(killed.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(folders(natives)).singleElement().satisfies(left -> {
            assertThat(left.getFileName().toString()).startsWith("weir-native-");
            assertThat(folders(left)).anyMatch(file -> file.toString().endsWith("libsqlitejdbc.so"));
            Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
        });
        Path old = folders(natives).getFirst();
        Process next = serve(natives);
        try (BufferedReader out = next.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).startsWith("weir: storage ready");
            assertThat(old).doesNotExist();
            assertThat(folders(natives)).hasSize(1);
            next.toHandle().destroy();
            assertThat(next.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            next.destroyForcibly();
        }
        assertThat(folders(natives)).isEmpty();
    }

    @Test
    void reportsAnUnloadableLibraryInOneSentence() throws Exception {
        Process process = serve(scratch.resolve("natives"));
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).startsWith("weir: storage ready");
            process.toHandle().destroy();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        // Neither of the usual folders is available.
        Path file = Files.writeString(scratch.resolve("file"), "");
        List<String> command = new ArrayList<>(List.of("env", "-u", "WEIR_NATIVE_DIR", "XDG_CACHE_HOME=" + file));
        command.addAll(WeirProgram.command(List.of("verify", "--data", scratch.resolve("data").toString())));
        command.add(command.indexOf("-cp"), "-Djava.io.tmpdir=" + file.resolve("none"));
        Programs.Result result = Programs.run(scratch, command.toArray(String[]::new));
        assertThat(result.exit()).isNotZero();
        assertThat(result.err().lines().filter(line -> line.startsWith("weir: "))).singleElement().asString()
                .contains("the library of SQLite cannot be loaded from " + file, "set WEIR_NATIVE_DIR");
        assertThat(result.err()).doesNotContain("\tat ", "Exception");
    }
}
