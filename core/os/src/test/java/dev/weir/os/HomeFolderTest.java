package dev.weir.os;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HomeFolderTest {
    @Test
    void theEnvironmentComesFirst() {
        assertThat(HomeFolder.of(Map.of("HOME", "/srv/weir"))).isEqualTo(Path.of("/srv/weir"));
        Path own = Path.of(System.getProperty("user.home"));
        assertThat(HomeFolder.of(Map.of())).isEqualTo(own);
        assertThat(HomeFolder.of(Map.of("HOME", ""))).isEqualTo(own);
        assertThat(HomeFolder.of(Map.of("HOME", "relative"))).isEqualTo(own);
    }
}
