package dev.weir.os;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HostNameTest {
    @Test
    void isTheNameOfTheSystem() throws Exception {
        Process uname = new ProcessBuilder("uname", "-n").start();
        String name = new String(uname.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(uname.waitFor()).isZero();
        assertThat(HostName.get()).isEqualTo(name).isNotEmpty();
    }
}
