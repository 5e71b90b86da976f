package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that {@code docs/reference/documents.md} lists every promise of the documents with what became of it. With
 * {@code -Dweir.docs.write=true}, updates the page instead. Needs no other program.
 */
class DocumentsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "reference", "documents.md");
    private static final String START = "<!-- promises -->\n";
    private static final String END = "<!-- end of promises -->";
    private static final String ADVICE = "run the test DocumentsPageTest of interop with -Dweir.docs.write=true";

    private static SequencedMap<String, Promises> documents() {
        StorageDocument storage = new StorageDocument(Path.of(""), Path.of(""), 0, 0);
        TutorialDocument tutorial = new TutorialDocument(Path.of(""), () -> {
            throw new IllegalStateException("nothing is started");
        });
        SequencedMap<String, Promises> documents = new LinkedHashMap<>();
        documents.put("The module fuzzy_check", new FuzzyCheckDocumentTest().promises());
        Promises newer = StorageWorkerDocumentTest.promises(storage);
        documents.put("The storage worker", newer);
        documents.put("The storage worker, what only the older edition has",
                StorageWorkerFirstDocumentTest.promises(storage, Path.of("")).without(newer));
        documents.put("The tutorial, both editions", tutorial.promises());
        return documents;
    }

    private static String written(Map<String, Promises> documents) {
        StringBuilder page = new StringBuilder(START);
        List<Promises> all = new ArrayList<>(documents.values());
        page.append("\nIn all: ").append(counts(all)).append("\n");
        documents.forEach((name, promises) -> {
            page.append("\n### ").append(name).append("\n\n").append(counts(List.of(promises)))
                    .append("\n\n| words of the page | done and seen | outcome |\n|---|---|---|\n");
            for (Promises.Row row : promises.rows()) {
                page.append("| ").append(cell(row.words())).append(" | ").append(cell(row.done())).append(" | ")
                        .append(row.outcome()).append(row.remark().isEmpty() ? "" : ": " + row.remark())
                        .append(" |\n");
            }
        });
        return page.append('\n').append(END).toString();
    }

    private static String counts(List<Promises> all) {
        StringBuilder line = new StringBuilder();
        line.append(all.stream().mapToInt(promises -> promises.rows().size()).sum()).append(" promises:");
        for (Promises.Outcome outcome : Promises.Outcome.values()) {
            line.append(outcome == Promises.Outcome.HOLDS ? " " : ", ")
                    .append(all.stream().mapToLong(promises -> promises.count(outcome)).sum()).append(' ')
                    .append(outcome.counted());
        }
        return line.append('.').toString();
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;");
    }

    @Test
    void listsEveryPromise() throws Exception {
        String page = Files.readString(PAGE);
        int start = page.indexOf(START);
        int end = page.indexOf(END) + END.length();
        assertThat(start).as("the page has no place for the promises").isNotNegative();
        String expected = written(documents());
        if (Boolean.getBoolean("weir.docs.write")) {
            Files.writeString(PAGE, page.substring(0, start) + expected + page.substring(end));
            return;
        }
        assertThat(page.substring(start, end)).as(ADVICE).isEqualTo(expected);
    }
}
