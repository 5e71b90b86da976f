package dev.weir.storage.index;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LoadThreadsTest {
    @Test
    void runsTheWorkOnceInEachThread() {
        Set<Integer> numbers = ConcurrentHashMap.newKeySet();
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        new LoadThreads(4).run(number -> {
            numbers.add(number);
            threads.add(Thread.currentThread());
        });
        assertThat(numbers).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(threads).hasSize(4).contains(Thread.currentThread());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void passesOnAFailureAfterAllHaveFinished(int failing) {
        Set<Integer> finished = ConcurrentHashMap.newKeySet();
        assertThatThrownBy(() -> new LoadThreads(3).run(number -> {
            if (number == failing) {
                throw new IndexFullException("full");
            }
            finished.add(number);
        })).isInstanceOf(IndexFullException.class).hasMessage("full");
        assertThat(finished).hasSize(2).doesNotContain(failing);
    }

    @Test
    void needsAThread() {
        assertThatThrownBy(() -> new LoadThreads(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
