package dev.weir.storage.log;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables of docs/internals/log.md. */
class LogPageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| (\\d+) \\| ([^|]+) \\|");

    private record Field(int offset, int size) {}

    private static Map<String, Field> table(String section) throws Exception {
        String page = Files.readString(Path.of("../../docs/internals/log.md"));
        int start = page.indexOf("\n## " + section + "\n");
        Map<String, Field> fields = new HashMap<>();
        int end = 0;
        for (Matcher row = ROW.matcher(page.substring(start, page.indexOf("\n## ", start + 1))); row.find();) {
            Field field = new Field(Integer.parseInt(row.group(1)), Integer.parseInt(row.group(2)));
            assertThat(field.offset()).as(row.group()).isGreaterThanOrEqualTo(end);
            end = field.offset() + field.size();
            fields.put(row.group(3), field);
        }
        return fields;
    }

    private static long value(ByteBuffer bytes, Field field) {
        return switch (field.size()) {
            case 1 -> bytes.get(field.offset());
            case 4 -> bytes.getInt(field.offset());
            default -> bytes.getLong(field.offset());
        };
    }

    @Test
    void theHeaderOfASegmentIsThatOfThePage() throws Exception {
        Map<String, Field> fields = table("Segment");
        ByteBuffer header = Segment.of(77).header(101,
                new Segment.Header(102, new LeaderEpoch(103, 104, 105, true), 106));
        Map.of("storage", 101L, "first", 77L, "created", 102L, "epoch", 103L, "branch", 104L, "epoch first", 105L,
                "checksum", 106L, "fresh", 1L)
                .forEach((name, value) -> assertThat(value(header, Objects.requireNonNull(fields.get(name), name)))
                        .as(name).isEqualTo(value));
        assertThat(fields).hasSize(11).containsEntry("CRC-32C", new Field(60, 4))
                .containsEntry("zeros", new Field(57, 3));
    }
}
