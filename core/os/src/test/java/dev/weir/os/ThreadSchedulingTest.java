package dev.weir.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

@EnabledOnOs(OS.LINUX)
class ThreadSchedulingTest {
    /** Fields of {@code /proc/thread-self/stat} after the name, which is the second field, see proc(5). */
    private static final int NICE = 19 - 3;
    private static final int POLICY = 41 - 3;

    private static String field(int number) throws IOException {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[number];
    }

    private static <T> T inThread(FutureTask<T> task) throws Exception {
        Thread.ofPlatform().start(task);
        return task.get();
    }

    @Test
    void backgroundLowersThePriority() throws Exception {
        assertThat(inThread(new FutureTask<>(() -> ThreadScheduling.runInBackground() + " " + field(NICE))))
                .isEqualTo("true 10");
    }

    @Test
    void idleTimeIsTheLowestPriority() throws Exception {
        assertThat(inThread(new FutureTask<>(() -> {
            ThreadScheduling.useBatchPolicy();
            return ThreadScheduling.runInIdleTime() + " " + field(NICE) + " " + field(POLICY);
        }))).isEqualTo("true 19 3");
    }

    @Test
    void batchPolicyIsSelected() throws Exception {
        assertThat(inThread(new FutureTask<>(() -> ThreadScheduling.useBatchPolicy() + " " + field(POLICY))))
                .isEqualTo("true 3");
    }

    @Test
    void theDefaultPolicyCanBeRestored() throws Exception {
        assertThat(inThread(new FutureTask<>(() -> {
            ThreadScheduling.useBatchPolicy();
            return ThreadScheduling.useDefaultPolicy() + " " + field(POLICY);
        }))).isEqualTo("true 0");
    }

    @Test
    void startedThreadsInheritThePolicy() throws Exception {
        assertThat(inThread(new FutureTask<>(() -> {
            ThreadScheduling.useBatchPolicy();
            return inThread(new FutureTask<>(() -> field(POLICY)));
        }))).isEqualTo("3");
    }
}
