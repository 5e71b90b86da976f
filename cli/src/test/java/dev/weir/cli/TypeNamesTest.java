package dev.weir.cli;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Within a module, one name means one thing. */
class TypeNamesTest {
    private static final JavaClasses WEIR = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.weir");

    /** Where each simple name of a type that stands alone occurs, with its module. */
    private static Map<String, Set<String>> topLevel() {
        return WEIR.stream().filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(type -> module(type) + ' ' + type.getSimpleName(),
                        TreeMap::new, Collectors.mapping(JavaClass::getName, Collectors.toCollection(TreeSet::new))));
    }

    /** The modules are the packages below dev.weir. */
    private static String module(JavaClass type) {
        return type.getPackageName().split("\\.", -1)[2];
    }

    @Test
    void noSimpleNameOccursTwiceInAModule() {
        Map<String, Set<String>> names = topLevel();
        assertThat(names).containsKeys("storage StorageEngine", "http HttpService");
        names.values().removeIf(places -> places.size() == 1);
        assertThat(names).isEmpty();
    }

    /** A nested type carries the name of the type around it, but may not look like a word of the shared vocabulary. */
    @Test
    void nestedTypesLeaveTheVocabularyAlone() {
        Set<String> vocabulary = WEIR.stream().filter(type -> type.getPackageName().equals("dev.weir.model"))
                .filter(JavaClass::isTopLevelClass).map(JavaClass::getSimpleName).collect(Collectors.toSet());
        assertThat(vocabulary).contains("Digest", "Signature", "Network");
        assertThat(WEIR.stream().filter(type -> !type.isTopLevelClass())
                .filter(type -> vocabulary.contains(type.getSimpleName())).map(JavaClass::getName)).isEmpty();
    }
}
