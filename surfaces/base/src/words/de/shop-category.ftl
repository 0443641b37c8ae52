shop-category-sort-shop = Ändern, wofür das war
shop-category-sort-shop-as = Wofür das war
shop-category-by-itself = wie ich es selbst einordne
shop-category-sort-shop-does = Das gilt für alle Zahlungen an dieses Geschäft, auch für frühere.
shop-category-save = Speichern
shop-category-a-shop = dieses Geschäft
shop-category-is-sorted = Zahlungen an { $shop } zählen zu: { $category }.
shop-category-was-sorted = Zahlungen an { $shop } zählten zu: { $category }.
shop-category-is-unsorted = Zahlungen an { $shop } zählen wieder zu: { $category }.
shop-category-payments-sorted = { $count ->
        [one] { $count } Zahlung eingeordnet: { $parts }
       *[other] { $count } Zahlungen eingeordnet: { $parts }
    }
shop-category-part = { $count } { $category }
shop-category-rest = { $rest } anderer Art
